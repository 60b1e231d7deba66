/** A scanner for SPARQL text that knows strings, IRIs and comments, so that nothing inside them is mistaken for syntax. */

export type Token = {
  readonly kind: 'parameter' | 'word' | 'mark' | 'skip'
  /** As it stands in the text; for `parameter` with the `$`. */
  readonly text: string
  readonly start: number
}

// Order matters: long strings before short ones, an IRI before the sign "less than" (SPARQL 1.1, 19.8).
const pattern = new RegExp(
  [
    String.raw`(?<skip>\s+|#[^\n\r]*` +
      String.raw`|"""(?:(?:"|"")?(?:[^"\\]|\\[^]))*"""|'''(?:(?:'|'')?(?:[^'\\]|\\[^]))*'''` +
      String.raw`|"(?:[^"\\\n\r]|\\[^])*"|'(?:[^'\\\n\r]|\\[^])*'` +
      String.raw`|<[^\u0000-\u0020<>"{}|^${'`'}\\]*>)`,
    String.raw`(?<parameter>\$[\p{L}\p{N}_][\p{L}\p{N}\p{M}_\u00B7\u203F\u2040]*)`,
    String.raw`(?<word>(?:[?@]?[\p{L}\p{N}\p{M}_:%.\u00B7\u203F\u2040-]|\\[^])+)`,
    String.raw`(?<mark>[^])`,
  ].join('|'),
  'gyu',
)

/** All tokens; joined, their texts are the text again. White space, comments, strings and IRIs are `skip`. */
export function tokens(text: string): Token[] {
  return [...text.matchAll(pattern)].map((match) => {
    const found = match.groups ?? {}
    const kind = found['skip']
      ? 'skip'
      : found['parameter']
        ? 'parameter'
        : found['word']
          ? 'word'
          : 'mark'
    return { kind, text: match[0], start: match.index }
  })
}
