"""The demo: household tips with people's work on them, all of it simulated from SEED, and MITRE's catalogue of weaknesses with
mappings that people made.
"""

SEED = 7
