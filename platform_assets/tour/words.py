"""What the demo platform's rows are made of: names, course titles, sentences. Repeated entries come up more often."""

FIRST_NAMES = (
    *("Ada", "Amara", "Andrei", "Anja", "Arjun", "Beatriz", "Benoit", "Carmen", "Chidi", "Chloe", "Daan", "Diego"),
    *("Elif", "Emeka", "Emma", "Farah", "Femi", "Freya", "Giulia", "Hana", "Hiro", "Ingrid", "Ivan", "Jasmin"),
    *("Jonas", "Kaito", "Kwame", "Lars", "Leila", "Liam", "Lucia", "Magda", "Mateo", "Mei", "Milan", "Nadia"),
    *("Noah", "Nora", "Olga", "Omar", "Petra", "Priya", "Rafael", "Rosa", "Sana", "Sofia", "Tariq", "Tess"),
    *("Tomas", "Uma", "Vera", "Wei", "Yara", "Yusuf", "Zoe"),
)
LAST_NAMES = (
    *("Abadi", "Adeyemi", "Almeida", "Andersen", "Bakker", "Banerjee", "Bauer", "Becker", "Castillo", "Chen"),
    *("Costa", "Dubois", "Eriksen", "Fischer", "Garcia", "Gupta", "Haddad", "Hansen", "Horvat", "Ito", "Jansen"),
    *("Kaya", "Keller", "Kim", "Kowalski", "Laurent", "Lindqvist", "Lopez", "Martin", "Mensah", "Moreau", "Mueller"),
    *("Nakamura", "Nguyen", "Novak", "Nwosu", "Okafor", "Oliveira", "Park", "Patel", "Petrov", "Popescu", "Ricci"),
    *("Rossi", "Sato", "Silva", "Singh", "Sorensen", "Tanaka", "Torres", "Varga", "Weber", "Wright", "Yilmaz"),
)
COUNTRIES = (
    *("US", "US", "US", "US", "US", "US", "GB", "GB", "GB", "DE", "DE", "DE", "FR", "FR", "NL", "NL", "ES", "IT"),
    *("PL", "SE", "BR", "BR", "IN", "IN", "IN", "NG", "KE", "JP", "AU", "CA"),
)
COURSES = (
    ("SQL for Analysts", "Data"),
    ("Statistics That Hold Up", "Data"),
    ("Dashboards People Read", "Data"),
    ("Forecasting for Practitioners", "Data"),
    ("Data Modelling by Example", "Data"),
    ("Python from the Start", "Programming"),
    ("Testing as a Habit", "Programming"),
    ("Rust for Working Programmers", "Programming"),
    ("Concurrency without Fear", "Programming"),
    ("Reading Other People's Code", "Programming"),
    ("Cloud Foundations", "Cloud"),
    ("Containers in Practice", "Cloud"),
    ("Infrastructure as Code", "Cloud"),
    ("Observability Basics", "Cloud"),
    ("Running Databases", "Cloud"),
    ("Machine Learning Foundations", "AI"),
    ("Language Models at Work", "AI"),
    ("Evaluating Models Honestly", "AI"),
    ("Vision for Engineers", "AI"),
    ("Recommenders", "AI"),
    ("Threat Modelling", "Security"),
    ("Secure Web Applications", "Security"),
    ("Incident Response", "Security"),
    ("Identity and Access", "Security"),
    ("Privacy Engineering", "Security"),
    ("Product Discovery", "Product"),
    ("Writing Specifications", "Product"),
    ("Pricing", "Product"),
    ("Experiments and Their Traps", "Product"),
    ("Roadmaps under Uncertainty", "Product"),
    ("Leading Small Teams", "Leadership"),
    ("Difficult Conversations", "Leadership"),
    ("Hiring Well", "Leadership"),
    ("Negotiation", "Leadership"),
    ("Running Meetings", "Leadership"),
    ("Typography", "Design"),
    ("Interface Design", "Design"),
    ("Accessibility from the Start", "Design"),
    ("User Research", "Design"),
    ("Design Systems", "Design"),
)
"""(title, category)."""

REVIEWS = {
    1: (
        "The exercises did not work and nobody answered.",
        "Not what the description says. I asked for my money back.",
        "Half of the videos have no sound.",
    ),
    2: (
        "Good topic, but the pace is far too slow for me.",
        "Outdated screenshots in every second lesson.",
        "I learned something, though less than the price promised.",
    ),
    3: (
        "Solid, with a weak last chapter.",
        "Fine for a first look. The quizzes are too easy.",
        "Useful at work, but I had to look up many things myself.",
    ),
    4: (
        "Clear explanations and honest examples.",
        "I used what I learned in the same week.",
        "Very good, I only missed captions in two lessons.",
    ),
    5: (
        "The best course I have taken on this subject.",
        "Every lesson had something that I could use at once.",
        "Patient, precise and never boring. Thank you!",
    ),
}
"""Texts by stars, equally many for each."""

REASONS = ("changed_mind", "changed_mind", "technical", "duplicate", "not_as_described")
TICKETS = (
    ("Cannot sign in", "The link in the mail leads to an empty page."),
    ("Certificate missing", "I finished the course last week and there is no certificate yet."),
    ("Invoice needed", "My employer asks for an invoice with our address on it."),
    ("Video stops", "The video of the third lesson stops after a minute."),
    ("Change my address", "Please change the mail address of my account."),
    ("Refund", "I bought the course twice by mistake."),
)
"""(subject, body)."""
