"""What all drawings share: colours, settings, pictures side by side.

A drawing runs inside `style.STYLE`; it takes colours from that module and makes figures with
``matplotlib.figure.Figure`` (no pyplot, so that nothing global is touched).
"""
