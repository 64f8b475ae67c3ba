"""Why is that row not in my DataFrame?"""
