"""Money: prices, what requests cost, what an act will cost, and what was spent."""
