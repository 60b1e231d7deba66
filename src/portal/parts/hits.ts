/** Records in lists: search hits with highlighted words, and short entries. */

import { type Fields, isJsonObject, listed, textAt } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, joinHtml } from '../html.ts'
import { fieldsAt, listAt, numberAt, recordScore, sharedLicence } from '../record.ts'
import { pairList } from './blocks.ts'
import { fieldName } from './metadata.ts'
import { qualityBadge } from './quality.ts'

/** Fields of datasets that hits and entries need, as the parameter `includes` takes them. */
export const hitFields = (
  'id,title,description,identifier,language,publisher,catalog,catalog.title,issued,modified,is_hvd,' +
  'quality_meas.scoring,distributions.format,distributions.license'
).split(',')

/** Most characters of a snippet, and most formats of one record. */
const [snippetLength, mostFormats] = [240, 8]

/** List item of a search hit. */
export function searchHit(context: PageContext, record: Fields): HtmlMarkup {
  const { t, formats, labelOf, nameOf, pathTo, textOf } = context
  const highlights = fieldsAt(record, '_highlight')
  const title = textOf(record['title'], record)
  const marked =
    title && highlights['title'] ? withMarks(title.text, highlights['title']) : undefined
  const updated = formats.day(record['modified'] ?? record['issued'])
  const from = [
    labelOf(record['publisher']),
    nameOf(record['catalog']) !== nameOf(record['publisher']) && labelOf(record['catalog']),
    updated && html`<span class="nowrap">${t('updated')} ${updated}</span>`,
  ]
  const score = recordScore(record)
  const quality = pathTo('datasets', textAt(record, 'id') ?? '', 'quality')
  return html`<li><h2>${linkedTitle(context, 'datasets', record, marked)}</h2>
    ${record['related'] === true && html`<p><span class="tag">${t('related-hit')}</span></p>`}
    <p class="from">${joinHtml(from, ' · ')}</p>${snippet(context, record)}<div class="under">${tags(context, record)}
    ${score !== undefined && qualityBadge(context, score, quality)}</div>${explanation(context, record)}</li>`
}

/** Words of the query in a hit, with their forms and fields, from `_why` of the search. */
function explanation(context: PageContext, record: Fields): HtmlContent {
  const { t, formats } = context
  const why = fieldsAt(record, '_why')
  const rows = listAt(why, 'words').map((form): readonly [HtmlContent, HtmlContent] => {
    const [word = '', as = '', how = ''] = ['word', 'as', 'how'].map((name) => textAt(form, name))
    const fields = listed(form['in']).map((place) =>
      fieldName(context, String(place).split('.', 1)[0] ?? ''),
    )
    const share = numberAt(form, 'share')
    const about = [
      how !== 'word' && t(`why-${how}`),
      share < 1 && t('in-part', { share: formats.number(100 * share) }),
      [...new Set(fields)].join(', '),
    ]
    return [word, html`<strong>${as}</strong> · ${joinHtml(about, ' · ')}`]
  })
  const [side, meaning] = [numberAt(why, 'side'), numberAt(why, 'meaning')]
  return pairList([
    ...rows,
    [t('why-side'), side > 0 && formats.number(side)],
    [t('why-title'), why['title'] === true && t('yes')],
    [t('why-meaning'), 'meaning' in why && t('meaning-near', { share: 100 * meaning })],
  ])
}

/** Title of a record as a link to its page; a record without id, which is not published, has no page. */
function linkedTitle(
  { pathTo, titleOf }: PageContext,
  kind: 'datasets' | 'catalogues',
  record: Fields,
  title?: HtmlContent,
): HtmlContent {
  const [id, name] = [textAt(record, 'id'), titleOf(record, title)]
  return id === undefined ? name : html`<a href="${pathTo(kind, id)}">${name}</a>`
}

/** Text with `mark` elements at the offsets `[from, to]`. */
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

/** Highlighted part of the description, else its beginning. */
function snippet({ textOf, inLanguage }: PageContext, record: Fields): HtmlContent {
  const highlight = fieldsAt(record, '_highlight.description')
  const [text, language] = [textAt(highlight, 'text'), textAt(highlight, 'language')]
  const description =
    text === undefined ? textOf(record['description'], record) : { text, language }
  if (!description) return false
  const start = () => truncateAtWord(plainDescription(description.text), snippetLength)
  const content = text === undefined ? start() : withMarks(text, highlight['marks'])
  return html`<p class="snippet">${inLanguage(description, content)}</p>`
}

/** First `most` characters of a description as plain text, without the HTML tags that many sources use. */
export const plainDescription = (text: string, most = 5000): string =>
  text
    .slice(0, most)
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** Cuts a text that is longer than `length` after a word, or within a word of more than 40 characters, and adds an ellipsis. */
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

/** Short list of datasets: the title of each, and below it what `detailsOf` returns. */
export const datasetList = (
  context: PageContext,
  records: readonly Fields[],
  detailsOf: (record: Fields) => readonly HtmlContent[],
  style = 'entries',
): HtmlMarkup =>
  html`<ul class="${style}" role="list">${records.map(
    (record) => html`<li><h3>${linkedTitle(context, 'datasets', record)}</h3>
      <p>${joinHtml(detailsOf(record), ' · ')}</p></li>`,
  )}</ul>`

/** List item of a catalogue with its number of datasets; with `h2` also its description and publisher. */
export function catalogueEntry(
  context: PageContext,
  record: Fields,
  heading: 'h2' | 'h3',
): HtmlMarkup {
  const { t, labelOf, textOf } = context
  const isLong = heading === 'h2'
  const about = isLong && textOf(record['description'], record)?.text.slice(0, 400)
  const details = [
    t('n-datasets', { count: numberAt(record, 'count') }),
    labelOf(record['country']),
    isLong && labelOf(record['publisher']),
  ]
  return html`<li><${heading}>${linkedTitle(context, 'catalogues', record)}</${heading}>
    ${about && html`<p class="prose">${about}</p>`}<p>${joinHtml(details, ' · ')}</p></li>`
}
