/** Words that begin with a vowel but sound like a consonant: User, Unit, European, One. */
const CONSONANT = /^(?:U(?:ni|s[aeiu]|ti|ra|ro)|Eu|One)/i;

/** A noun with its indefinite article: `an Organisation`, `a User`, `an APIKey`, `an Upload`. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) && !CONSONANT.test(noun) ? 'an' : 'a'} ${noun}`;
}
