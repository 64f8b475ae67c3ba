"""Reading: the analyzed plan of a DataFrame becomes a plan."""
