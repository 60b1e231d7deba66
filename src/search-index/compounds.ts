/**
 * Compounds of languages that write them as one word: which words contain a form of another one, and where an unknown word may be
 * divided (`reference/relevance.md` 3.4).
 */

/** Languages whose compounds are written as one word. */
export const compoundingLanguages: ReadonlySet<string> = new Set(
  'da de et fi hu nb nl nn no sv'.split(' '),
)

/** Letters between the parts of a compound. */
const linkingElements: readonly string[] = ['s', 'es', 'n', 'en', 'er', 'e']
/** Least letters of the rest of a compound, and of the rest beside a form of `shortForm` letters. */
const [shortestRest, shortestRestOfShort] = [3, 4]
const shortForm = 3
/** Least letters of a form beside which any text that looks like a word is a part of a compound. */
const trustedForm = 5
/** Lengths of words that are divided. */
const [shortestDivided, longestDivided] = [7, 40]

const vowel = /[aeiouyæα-ω]/u
const lettersOnly = /^\p{L}+$/u
/** Beginning of a text after a word that is an ending of it and not another word. */
const derivationalEnding =
  /^(?:(?:s|es|n|en|er|e)?(?:ung|isch|ig|lich|haft|heit|keit|nis|bar|sam|chen|lein|lings?|end|ell|iv|ier|ist|ion|at|tum|schaft)|er|el|ei|ern|ers|erin|erinnen|est|ste|ten|ter)/u

/** Whether a text has only letters, and at least `least` of them. */
export const hasLetters = (text: string, least: number): boolean =>
  text.length >= least && lettersOnly.test(text)

/** Whether a token of a bucket is long enough to be a compound. */
export const isCompoundCandidate = (token: string, bucket: string): boolean =>
  compoundingLanguages.has(bucket) && hasLetters(token, shortForm + shortestRest)

/** A word backwards. A dictionary of such words is searched for compounds by their end. */
export const mirrored = (word: string): string => Array.from(word).reverse().join('')

/** Rest of a compound beside a form: certainly a word, or one if the dictionary has one of `rests`. */
type CompoundRule = { readonly isCertain: boolean; readonly rests: readonly string[] }

/** Rule by which a token is a compound with one of the forms; `undefined` if it cannot be one. */
export function compoundRule(token: string, forms: ReadonlySet<string>): CompoundRule | undefined {
  if (forms.has(token) || !lettersOnly.test(token)) return undefined
  const rules = [...forms].flatMap((form) => [
    ...(token.startsWith(form) ? restRule(form, token.slice(form.length), 'after') : []),
    ...(token.endsWith(form) ? restRule(form, token.slice(0, -form.length), 'before') : []),
  ])
  if (rules.length === 0) return undefined
  return {
    isCertain: rules.some(({ isCertain }) => isCertain),
    rests: [...new Set(rules.flatMap(({ rests }) => rests))],
  }
}

/** Rule for the rest of a compound on one side of a form; none if the rest is no word. */
function restRule(form: string, rest: string, side: 'before' | 'after'): readonly CompoundRule[] {
  const least = form.length > shortForm ? shortestRest : shortestRestOfShort
  if (rest.length < least || !vowel.test(rest)) return []
  const looksLikeWord =
    side === 'before' || (rest.length > shortestRest && !derivationalEnding.test(rest))
  const isCertain = form.length >= trustedForm && looksLikeWord
  return [{ isCertain, rests: withoutLink(rest, side) }]
}

/** A part of a compound before or after a border, and what remains of it without a linking element at the border. */
const withoutLink = (part: string, side: 'before' | 'after'): readonly string[] => [
  part,
  ...linkingElements
    .filter((link) => part.length - link.length >= shortestRest)
    .filter((link) => (side === 'before' ? part.endsWith(link) : part.startsWith(link)))
    .map((link) => (side === 'before' ? part.slice(0, -link.length) : part.slice(link.length))),
]

/** Two parts of a compound; `firsts`: the first one with and without a linking element. */
export type CompoundSplit = { readonly firsts: readonly string[]; readonly last: string }

/** Ways to divide an unknown word. */
type Splits = {
  /** Two words that the word may be written as. */
  readonly phrases: readonly (readonly [string, string])[]
  /** Parts of a compound, the longest last part first. */
  readonly compounds: readonly CompoundSplit[]
}

/** Divides a word of letters at each border. */
export function splitsOf(token: string): Splits {
  if (!lettersOnly.test(token) || token.length > longestDivided)
    return { phrases: [], compounds: [] }
  const borders = Array.from({ length: Math.max(0, token.length - 3) }, (_, i) => i + 2)
  const phrases = borders.map((at) => [token.slice(0, at), token.slice(at)] as const)
  const isDivided = token.length >= shortestDivided
  const compounds = phrases
    .filter(([first, last]) => first.length >= shortestRest && last.length >= shortestRest)
    .map(([first, last]) => ({ firsts: withoutLink(first, 'before'), last }))
  return { phrases, compounds: isDivided ? compounds : [] }
}
