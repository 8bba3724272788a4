-- description: Enrolments, completions, ratings and revenue of each course.
-- owner: team:analytics
-- grain: course_id
-- tags: reporting

-- Ratings and payments are summed per course before they meet the enrolments: joined row by row they would multiply
-- each other.
create table analytics.course_performance as
with ratings as (
    select r.course_id, avg(r.rating) as average_rating
    from learning.reviews r
    group by r.course_id
),
revenue as (
    select e.course_id, sum(p.amount) filter (where p.status = 'succeeded') as revenue_usd
    from learning.enrollments e
    join billing.payments p on p.enrollment_id = e.enrollment_id
    group by e.course_id
)
select
    c.course_id,
    c.title,
    c.category,
    count(e.enrollment_id) as enrollments,
    count(e.enrollment_id) filter (where e.completed_at is not null) as completions,
    any_value(ratings.average_rating) as average_rating,
    any_value(revenue.revenue_usd) as revenue_usd
from learning.courses c
left join learning.enrollments e on e.course_id = c.course_id
left join ratings on ratings.course_id = c.course_id
left join revenue on revenue.course_id = c.course_id
group by c.course_id, c.title, c.category
