/**
 * Languages: the official ones of the EU, buckets of the search index (one per configured language, and one for texts in all
 * others), and short language tags.
 */

/** The 24 official languages of the European Union, by their ISO 639-1 codes. */
export const officialLanguages: readonly string[] =
  'bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv'.split(' ')

/** Bucket of texts in other languages, which are not stemmed. */
export const otherBucket = 'x'

/** Returns the bucket of a language key; a tag with region or script (`de-CH`) belongs to its language. */
export function bucketOf(key: string, languages: readonly string[]): string {
  const lower = key.toLowerCase()
  if (languages.includes(lower)) return lower
  const primary = lower.split('-')[0] ?? ''
  return languages.includes(primary) ? primary : otherBucket
}

/**
 * Returns a tag with the shortest code of its language (BCP 47, 2.2.1): `de-CH` for `ger-CH` and `deu-CH`; other tags unchanged.
 */
export function shortTag(tag: string): string {
  const [, code = '', suffix = ''] = /^([A-Za-z]{3})(-.*)?$/s.exec(tag) ?? []
  // Their short codes are those of a wider language.
  if (code === '' || /^(?:cmn|cnr|hbs)$/i.test(code)) return tag
  const language = new Intl.Locale(code).toString()
  return language.length === 2 ? language + suffix : tag
}
