-- description: Learners who get this month's birthday offer: born in this month and willing to be written to.
-- owner: team:marketing
-- grain: learner_id
-- tags: email

create table marketing.birthday_offers as
select l.learner_id, l.country
from crm.learners l
where l.marketing_consent and month(l.date_of_birth) = month(current_date)
