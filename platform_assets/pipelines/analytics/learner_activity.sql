-- description: What each learner did and when they were last seen.
-- owner: team:analytics
-- grain: learner_id
-- tags: reporting

create table analytics.learner_activity as
select
    l.learner_id,
    l.country,
    count(v.event_id) as events,
    count(distinct cast(v.occurred_at as date)) as active_days,
    count(v.event_id) filter (where v.event_type = 'lesson_completed') as lessons_completed,
    max(v.occurred_at) as last_active_at
from crm.learners l
left join learning.events v on v.learner_id = l.learner_id
group by l.learner_id, l.country
