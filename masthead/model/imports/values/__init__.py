"""Values as people and programs write them: texts, amounts, dates, countries and names."""
