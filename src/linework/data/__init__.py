"""Where rows come from: blocks of rows and the sources that cut tables into them."""
