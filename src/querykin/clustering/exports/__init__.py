"""Clusters as files of other programs: Google Ads Editor, spreadsheets, search engines."""
