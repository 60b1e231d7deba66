/** Which bucket a text lies in: its language when that is configured, else the one for all the rest. */

/** The 24 official languages of the European Union, by their ISO 639-1 codes. */
export const officialLanguages: readonly string[] =
  'bg cs da de el en es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv'.split(' ')

/** Texts of all other languages: not stemmed, and reached only together with the others. */
export const otherBucket = 'x'

/** The bucket of a language key; a region or script tag (`de-CH`) lies with its language. */
export function bucketOf(key: string, languages: readonly string[]): string {
  const wanted = key.toLowerCase()
  if (languages.includes(wanted)) return wanted
  const primary = wanted.split('-')[0] ?? ''
  return languages.includes(primary) ? primary : otherBucket
}

/** A tag with the shortest code of its language (BCP 47, 2.2.1): `de-CH` for `ger-CH` and `deu-CH`; every other tag as it is. */
export function shortTag(tag: string): string {
  const [, code = '', rest = ''] = /^([A-Za-z]{3})(-.*)?$/s.exec(tag) ?? []
  // Their short codes are those of a wider language.
  if (code === '' || /^(?:cmn|cnr|hbs)$/i.test(code)) return tag
  const language = new Intl.Locale(code).toString()
  return language.length === 2 ? language + rest : tag
}
