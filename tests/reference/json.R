# R values as JSON, every double with the digits that bring it back.

# jsonlite caps at 15 digits, whatever `digits` says; a double needs up to 17.
number <- function(x) {
  stopifnot(!is.infinite(x))
  text <- sprintf("%.15g", x)
  text[is.na(x)] <- "null"
  longer <- which(suppressWarnings(as.numeric(text)) != x)
  text[longer] <- sprintf("%.17g", x[longer])
  text
}

json <- function(x, indent = "") {
  inner <- paste0(indent, " ")
  wrap <- function(items, open, close, sep) paste0(open, paste(items, collapse = sep), close)
  quoted <- function(s) encodeString(s, quote = '"')
  if (is.list(x)) {
    items <- vapply(x, json, "", indent = inner)
    if (!is.null(names(x))) items <- paste0(quoted(names(x)), ": ", items)
    newline <- paste0("\n", inner)
    if (is.null(names(x))) wrap(items, paste0("[", newline), paste0("\n", indent, "]"), paste0(",", newline))
    else wrap(items, paste0("{", newline), paste0("\n", indent, "}"), paste0(",", newline))
  } else if (is.matrix(x)) {
    wrap(apply(x, 1, function(row) json(unname(row))), "[", "]", ", ")
  } else {
    items <- if (is.character(x)) quoted(x) else if (is.logical(x)) ifelse(x, "true", "false") else number(x)
    if (!is.null(names(x))) wrap(paste0(quoted(names(x)), ": ", items), "{", "}", ", ")
    else if (length(x) == 1) items
    else wrap(items, "[", "]", ", ")
  }
}
