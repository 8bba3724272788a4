-- description: Active learners who agreed to marketing email, each with their favourite course category.
-- owner: team:marketing
-- grain: learner_id
-- tags: email

create table marketing.audience as
with ranked as (
    select
        e.learner_id,
        c.category,
        row_number() over (partition by e.learner_id order by count(*) desc, c.category) as place
    from learning.enrollments e
    join learning.courses c on c.course_id = e.course_id
    group by e.learner_id, c.category
)
select l.learner_id, l.full_name, l.email, l.country, r.category as favourite_category
from crm.learners l
left join ranked r on r.learner_id = l.learner_id and r.place = 1
where l.marketing_consent and l.status = 'active'
