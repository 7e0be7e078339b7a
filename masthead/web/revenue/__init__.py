"""The pages about money: takings, deferred revenue, and what each issue earned."""
