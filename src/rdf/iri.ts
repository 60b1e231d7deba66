/** Validation (RFC 3987) and repair of IRIs. */

/** Maximum length in UTF-8 bytes that all supported stores keep. */
export const maxIriBytes = 1800

// RFC 3987, 2.2, without white space of any script; surrogates are checked separately, because the pattern matches UTF-16
// units.
const spaceCharacters = '\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff'
const nonAscii =
  '\\u00a1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-\\u202e\\u2030-\\u205e\\u2060-\\u2fff\\u3001-\\udfff' +
  '\\uf900-\\ufdcf\\ufdf0-\\ufefe\\uff00-\\uffef'
const unescapedCharacters = `A-Za-z0-9\\-._~!$&'()*+,;=${nonAscii}`
const percentEscape = '%[0-9A-Fa-f]{2}'
const sequenceOf = (characters: string) => `[${characters}]*(?:${percentEscape}[${characters}]*)*`
const authority = `//(?:${sequenceOf(`${unescapedCharacters}:`)}@)?(?:\\[[0-9A-Fa-f:.]+\\]|${sequenceOf(unescapedCharacters)})(?::[0-9]*)?(?=[/?#]|$)`
const iriPattern = new RegExp(
  `^[A-Za-z][A-Za-z0-9+.\\-]*:(?:${authority}|(?!//))${sequenceOf(`${unescapedCharacters}:@/`)}` +
    `(?:\\?${sequenceOf(`${unescapedCharacters}:@/?\\ue000-\\uf8ff`)})?(?:#${sequenceOf(`${unescapedCharacters}:@/?`)})?$`,
)

/** Part of an IRI after its last `#` or `/`; the whole IRI without them. */
export const localName = (iri: string): string =>
  iri.slice(Math.max(iri.lastIndexOf('#'), iri.lastIndexOf('/')) + 1)

/** Part of an IRI after its last `#`, `/` or `:`: `Dataset` of `urn:x:Dataset`. */
export const lastName = (iri: string): string => /[^/#:]*$/.exec(iri)?.[0] ?? ''

/** Whether a text is an absolute IRI (RFC 3987) without white space and lone surrogates. Does not check its length. */
export const isIri = (text: string): boolean => iriPattern.test(text) && text.isWellFormed()

/** Whether an address is one that a browser would run, or read from the disk of its user. */
export const isUnsafeAddress = (address: string): boolean =>
  /^\s*(?:javascript|vbscript|data|file):/i.test(address)

// ASCII characters that IRIs exclude, and those that `nonAscii` excludes: white space, private use, noncharacters.
const invalidCharacters = new RegExp(
  `[\\x00-\\x20<>"{}|\\\\^\`\\x7f-\\xa0${spaceCharacters}\\ue000-\\uf8ff\\ufdd0-\\ufdef\\ufff0-\\uffff]`,
  'g',
)

/**
 * Percent-encodes invalid characters: white space, quotes, braces, brackets outside the host, a second `#`, a `%` that begins
 * no escape. Trims blanks. The result may still be no IRI (a relative reference); check it with `isIri`.
 */
export function repairIri(text: string): string {
  const trimmed = text.toWellFormed().trim()
  const [, head = '', afterHead = ''] =
    /^([A-Za-z][A-Za-z0-9+.-]*:(?:\/\/(?:[^/?#[\]]*@)?(?:\[[0-9A-Fa-f:.]+\])?)?)?([^]*)$/.exec(
      trimmed,
    ) ?? []
  const fragment = afterHead.indexOf('#')
  const fragmentStart = fragment < 0 ? afterHead.length : fragment + 1
  const encoded =
    afterHead.slice(0, fragmentStart) + afterHead.slice(fragmentStart).replaceAll('#', '%23')
  return percentEncode(head) + percentEncode(encoded).replaceAll('[', '%5B').replaceAll(']', '%5D')
}

const percentEncode = (text: string) =>
  text
    .replace(/%(?![0-9A-Fa-f]{2})/g, '%25')
    .replace(invalidCharacters, (character) => encodeURIComponent(character))

/**
 * Separators of several addresses in a text. An escaped blank (`%20`) separates only if no address has a query, which may
 * contain it.
 */
const separators = {
  plain: /(?:\s*[,;|]\s*|\s+)(?=(?:https?|ftp):\/\/[^\s,;])/i,
  escaped: /(?:\s*[,;|]\s*|\s+|(?:%20)+)(?=(?:https?|ftp):\/\/[^\s,;])/i,
}

/** Splits a text of several web addresses at blanks, commas, semicolons and bars; returns any other text alone. */
export const addressesIn = (text: string): readonly string[] =>
  /^\s*(?:https?|ftp):\/\//i.test(text)
    ? text.trim().split(text.includes('?') ? separators.plain : separators.escaped)
    : [text]
