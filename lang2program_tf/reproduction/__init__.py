"""The paper's tables as queues of training runs, and the tables that come of them."""
