-- description: Copy of the audience that the email tool reads.
-- owner: team:marketing
-- grain: learner_id
-- tags: email

create table marketing.campaign_list as
select a.learner_id, a.full_name, a.email
from marketing.audience a
