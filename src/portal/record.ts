/** What the search says of records, read leniently: anything may be absent or of another shape. */

import { isJsonObject, type Fields } from '../text/json.ts'
import { html, type HtmlContent } from './html.ts'
import { chosenText, directionOf, type Text } from './languages.ts'
import type { PageContext } from './page.ts'

/** The members of a value; none where it is no object. */
export const memberFields = (value: unknown): Fields => (isJsonObject(value) ? value : {})

/** A list as it is, anything else alone, nothing as an empty list. */
export const listed = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** The value at a dotted path through objects and lists. */
export const valueAt = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce(
      (found: unknown, step) =>
        Array.isArray(found) ? (found[Number(step)] as unknown) : memberFields(found)[step],
      value,
    )

/** A text, or a number as text. */
export const textOr = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== ''
    ? value
    : typeof value === 'number'
      ? String(value)
      : undefined

/** Languages in the order in which the page wants them: its own, then those of the record's catalogue. */
export function wantedLanguages({ language }: PageContext, record?: Fields): readonly string[] {
  const own = valueAt(record, 'catalog.language') ?? record?.['language']
  return [language, ...listed(own).flatMap((one) => textOr(memberFields(one)['id']) ?? [])]
}

/** The chosen text in an element that says its language where that is not the page's. */
export function inLanguage(
  context: PageContext,
  chosen: Text,
  content: HtmlContent = chosen.text,
): HtmlContent {
  const { language } = chosen
  if (language === undefined || language === context.language) return html`<bdi>${content}</bdi>`
  return html`<span lang="${language}" dir="${directionOf(language)}">${content}</span>`
}

/** A title with a badge that names its language where that is not the page's. */
export function titleText(
  context: PageContext,
  record: Fields,
  content?: HtmlContent,
): HtmlContent {
  const chosen = chosenText(record['title'], wantedLanguages(context, record)) ?? {
    text: textOr(listed(record['identifier'])[0]) ?? textOr(record['id']) ?? context.t('untitled'),
  }
  const shown = inLanguage(context, chosen, content ?? chosen.text)
  const { language } = chosen
  if (language === undefined || language === context.language) return shown
  const name = context.formats.languageName(language)
  return html`${shown} <abbr class="lang" title="${name}">${language}</abbr>`
}

/** The title alone, for places that take text only. */
export const plainTitle = (context: PageContext, record: Fields): string =>
  chosenText(record['title'], wantedLanguages(context, record))?.text ??
  textOr(listed(record['identifier'])[0]) ??
  textOr(record['id']) ??
  context.t('untitled')

/** What a value with `label`, `title` or `name` is called; the text itself where it is one. */
export function labelFor(context: PageContext, value: unknown): Text | undefined {
  if (typeof value === 'string') return chosenText(value, [])
  const fields = memberFields(value)
  const wanted = wantedLanguages(context)
  for (const name of ['label', 'title', 'name_translated', 'name', 'pref_label']) {
    const chosen = chosenText(fields[name], wanted)
    if (chosen) return chosen
  }
  const text = textOr(fields['id']) ?? textOr(fields['resource'])
  return text === undefined ? undefined : { text }
}

/** The same within an element of its language. */
export function labelText(context: PageContext, value: unknown): HtmlContent {
  const label = labelFor(context, value)
  return label && inLanguage(context, label)
}

/** Short names of licences whose code says it: `CC_BY_4_0` is CC BY 4.0. */
export function licenceName(context: PageContext, value: unknown): HtmlContent {
  const id = textOr(memberFields(value)['id']) ?? ''
  if (!/^(?:CC|ODC|DL|IODL|OGL|LO)[\w-]*$/.test(id)) return labelText(context, value)
  return id.replaceAll(/(\d)_(?=\d)/g, '$1.').replaceAll('_', ' ')
}

/** Formats of all distributions, each once, in their order. */
export function formatsOf(context: PageContext, record: Fields): readonly string[] {
  const labels = listed(record['distributions']).flatMap(
    (one) => labelFor(context, memberFields(one)['format'])?.text ?? [],
  )
  return [...new Set(labels)]
}

/** The licence that all distributions share; `different` where they do not, `none` where none has one. */
export function sharedLicence(record: Fields): unknown {
  const distributions = listed(record['distributions']).map(memberFields)
  const licences = distributions.map(({ license }) => license)
  const keys = new Set(
    licences.map(
      (one) => textOr(memberFields(one)['resource']) ?? textOr(memberFields(one)['id']) ?? '',
    ),
  )
  if (keys.size === 0 || (keys.size === 1 && keys.has(''))) return 'none'
  return keys.size === 1 ? licences[0] : 'different'
}

/** Points of the quality of metadata, 0 to 405; `undefined` where nothing was measured. */
export const recordScore = (record: Fields): number | undefined => {
  const score = valueAt(record, 'quality_meas.scoring')
  return typeof score === 'number' ? score : undefined
}
