"""Collections and what comes into them: uploads, their formats, runs and qrels in storage, downloads, deletion."""
