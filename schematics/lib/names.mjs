/** `LineItem`, `lineItem`, `line item` and `line_item` as `line-item`. */
export function kebab(text) {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replace(/[\s_-]+/g, '-')
    .toLowerCase();
}

/** `line-item` as `LineItem`. */
export function pascal(text) {
  return kebab(text).replace(/(?:^|-)(.)/g, (_, letter) => letter.toUpperCase());
}

/** `inProgress` as `In Progress`: the label of an enum value or a prop. */
export function title(text) {
  return kebab(text).replace(/(^|-)(.)/g, (_, dash, letter) => (dash ? ' ' : '') + letter.toUpperCase());
}

/** The plural of a lower-case English word, as far as a rule tells; for the others there is `--path`. */
export function plural(word) {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(words, and = 'and') {
  const [last, ...rest] = [...words].reverse();
  return rest.length ? `${rest.reverse().join(', ')} ${and} ${last}` : String(last);
}
