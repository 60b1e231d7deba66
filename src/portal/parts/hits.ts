/** Records in lists: hits of a search with their words marked, and short entries. */

import { type Fields, isJsonObject, listed, textAt } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, joinHtml } from '../html.ts'
import { fieldsAt, numberAt, recordScore, sharedLicence } from '../record.ts'
import { qualityBadge } from './quality.ts'

/** Fields of datasets that lists of them are made from. */
export const hitFields = (
  'id,title,description,identifier,language,publisher,catalog,catalog.title,issued,modified,is_hvd,' +
  'quality_meas.scoring,distributions.format,distributions.license'
).split(',')

/** Characters of a description in a list, and formats of one record. */
const [snippetLength, mostFormats] = [240, 8]

/** One hit of a search. */
export function searchHit(context: PageContext, record: Fields): HtmlMarkup {
  const { t, formats, labelOf, nameOf, pathTo, textOf } = context
  const found = fieldsAt(record, '_highlight')
  const title = textOf(record['title'], record)
  const marked = title && found['title'] ? withMarks(title.text, found['title']) : undefined
  const updated = formats.day(record['modified'] ?? record['issued'])
  const from = [
    labelOf(record['publisher']),
    nameOf(record['catalog']) !== nameOf(record['publisher']) && labelOf(record['catalog']),
    updated && html`<span class="nowrap">${t('updated')} ${updated}</span>`,
  ]
  const score = recordScore(record)
  const quality = pathTo('datasets', textAt(record, 'id') ?? '', 'quality')
  return html`<li><h2>${linkedTitle(context, 'datasets', record, marked)}</h2>
    <p class="from">${joinHtml(from, ' · ')}</p>${snippet(context, record)}<div class="under">${tags(context, record)}
    ${score !== undefined && qualityBadge(context, score, quality)}</div></li>`
}

/** The title, which leads to the page of the record; one without id, which is not published, has none. */
function linkedTitle(
  { pathTo, titleOf }: PageContext,
  kind: 'datasets' | 'catalogues',
  record: Fields,
  title?: HtmlContent,
): HtmlContent {
  const [id, name] = [textAt(record, 'id'), titleOf(record, title)]
  return id === undefined ? name : html`<a href="${pathTo(kind, id)}">${name}</a>`
}

/** A text with the offsets `[from, to]` marked. */
function withMarks(text: string, offsets: unknown): HtmlContent {
  const parts: HtmlContent[] = []
  let done = 0
  for (const pair of listed(offsets)) {
    const [from, to] = listed(pair)
    if (typeof from !== 'number' || typeof to !== 'number' || from < done || to <= from) continue
    parts.push(text.slice(done, from), html`<mark>${text.slice(from, to)}</mark>`)
    done = to
  }
  return [...parts, text.slice(done)]
}

/** What the search found in the description, else how it begins. */
function snippet({ textOf, inLanguage }: PageContext, record: Fields): HtmlContent {
  const found = fieldsAt(record, '_highlight.description')
  const [text, language] = [textAt(found, 'text'), textAt(found, 'language')]
  const whole = text === undefined ? textOf(record['description'], record) : { text, language }
  if (!whole) return false
  const start = () => truncateAtWord(plainDescription(whole.text), snippetLength)
  const shown = text === undefined ? start() : withMarks(text, found['marks'])
  return html`<p class="snippet">${inLanguage(whole, shown)}</p>`
}

/** A description without the HTML that many sources put into it. */
export const plainDescription = (text: string, most = 5000): string =>
  text
    .slice(0, most)
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** Cut behind a word. */
export function truncateAtWord(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), length - 40))} …`
}

function tags({ t, formatsOf, licenceName }: PageContext, record: Fields): HtmlMarkup {
  const tag = (style: string) => (name: HtmlContent) =>
    name && html`<span class="${style}">${name}</span>`
  const names = formatsOf(record).slice(0, mostFormats)
  const licence = sharedLicence(record)
  const others = [
    isJsonObject(licence) && licenceName(licence),
    record['is_hvd'] === true && t('high-value'),
  ]
  return html`<div class="tags">${names.length > 0 && html`<span class="vh">${t('formats')}:</span>`}
    ${names.map(tag('tag format'))}${others.map(tag('tag'))}</div>`
}

/** Datasets in a short list: the title of each, and below it what there is to say. */
export const datasetList = (
  context: PageContext,
  records: readonly Fields[],
  below: (record: Fields) => readonly HtmlContent[],
  style = 'entries',
): HtmlMarkup =>
  html`<ul class="${style}" role="list">${records.map(
    (record) => html`<li><h3>${linkedTitle(context, 'datasets', record)}</h3>
      <p>${joinHtml(below(record), ' · ')}</p></li>`,
  )}</ul>`

/** A catalogue in a list, with how many datasets it has; in a list of its own with what it is about, too. */
export function catalogueEntry(
  context: PageContext,
  record: Fields,
  heading: 'h2' | 'h3',
): HtmlMarkup {
  const { t, labelOf, textOf } = context
  const isLong = heading === 'h2'
  const about = isLong && textOf(record['description'], record)?.text.slice(0, 400)
  const below = [
    t('n-datasets', { count: numberAt(record, 'count') }),
    labelOf(record['country']),
    isLong && labelOf(record['publisher']),
  ]
  return html`<li><${heading}>${linkedTitle(context, 'catalogues', record)}</${heading}>
    ${about && html`<p class="prose">${about}</p>`}<p>${joinHtml(below, ' · ')}</p></li>`
}
