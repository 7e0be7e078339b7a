"""The pages for subscribers. They know no user of the desk, and no session of one."""
