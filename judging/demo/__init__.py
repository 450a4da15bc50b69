"""The demo: MITRE's catalogue of weaknesses as a collection to judge, with topics, mappings made by people and four rankings."""
