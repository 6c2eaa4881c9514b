# Replaces the text in the environment's old, which must occur once, by its new.
BEGIN { old = ENVIRON["old"]; new = ENVIRON["new"] }
{
  at = index ($0, old)
  if (at) {
    n++
    rest = substr ($0, at + length (old))
    if (index (rest, old))
      n++
    $0 = substr ($0, 1, at - 1) new rest
  }
  print
}
END { exit n != 1 }
