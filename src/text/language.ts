/**
 * Languages: the official ones of the EU, buckets of the search index (one per configured language, and one for texts in all
 * others), and short language tags.
 */

/** The 24 official languages of the European Union, by their ISO 639-1 codes. */
export const officialLanguages: readonly string[] =
  'bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv'.split(' ')

/**
 * Languages with a bucket of their own in search indices: the official ones, and those with stemmers. `no` includes Bokmål (`nb`) and
 * Nynorsk (`nn`).
 */
export const indexedLanguages: readonly string[] = [
  ...officialLanguages,
  ...'ar hy id no ru sr tr uk'.split(' '),
]

/** Languages whose texts are in the bucket of another one. */
const sharedBuckets: Readonly<Partial<Record<string, string>>> = { nb: 'no', nn: 'no' }

/** Bucket of texts in other languages, which are not stemmed. */
export const otherBucket = 'x'

/**
 * Returns the bucket of a language key; a tag with region or script (`de-CH`) belongs to its language, Bokmål (`nb`) to Norwegian
 * (`no`).
 */
export function bucketOf(key: string, languages: readonly string[]): string {
  const lower = key.toLowerCase()
  if (languages.includes(lower)) return lower
  const primary = lower.split('-')[0] ?? ''
  const buckets = [primary, sharedBuckets[primary] ?? primary]
  return buckets.find((bucket) => languages.includes(bucket)) ?? otherBucket
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
