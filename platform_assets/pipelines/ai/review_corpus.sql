-- description: Review texts with the course they are about, for the course assistant to quote.
-- owner: team:ai
-- grain: review_id
-- tags: assistant

create table ai.review_corpus as
select r.review_id, r.course_id, c.title as course_title, r.rating, r.body
from learning.reviews r
join learning.courses c on c.course_id = r.course_id
