"""How programs come in that speak another protocol than ours. All of them start, follow and decide the same runs."""
