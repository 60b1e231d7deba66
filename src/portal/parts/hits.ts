/** Datasets in lists: hits of a search with their words marked, and short entries. */

import { isJsonObject, type Fields } from '../../text/json.ts'
import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup, joined } from '../html.ts'
import { qualityMark } from './quality.ts'
import { fieldsAt, listed, recordScore, sharedLicence, textAt, valueAt } from '../record.ts'

/** Characters of a description in a list. */
const snippetLength = 240

/** One hit of a search; a record without id, which is not published, has no page to lead to. */
export function hit(context: PageContext, record: Fields): HtmlMarkup {
  const { t, formats, labelOf, pathTo, titleOf } = context
  const id = textAt(record, 'id') ?? ''
  const marks = fieldsAt(record, '_highlight')
  const title = marked(valueAt(record, 'title'), listed(marks['title']), context, record)
  const updated = formats.day(record['modified'] ?? record['issued'])
  const score = recordScore(record)
  const from = joined(
    [
      labelOf(record['publisher']),
      labelOf(record['catalog']),
      updated && html`<span class="nowrap">${t('updated')} ${updated}</span>`,
    ],
    ' · ',
  )
  const name = titleOf(record, title)
  const heading = id === '' ? name : html`<a href="${pathTo('datasets', id)}">${name}</a>`
  return html`<li> <h2>${heading}</h2> <p class="from">${from}</p> ${snippet(context, record)}
    <div class="under"> ${tags(context, record)}${score !== undefined && qualityMark(context, score, pathTo('datasets', id, 'quality'))}
    </div> </li>`
}

/** The text of the page's language with the offsets `[from, to]` marked; nothing where there are none. */
function marked(
  value: unknown,
  offsets: readonly unknown[],
  context: PageContext,
  record: Fields,
): HtmlContent {
  const chosen = context.textOf(value, record)
  return chosen && offsets.length > 0 ? withMarks(chosen.text, offsets) : undefined
}

function withMarks(text: string, offsets: readonly unknown[]): HtmlContent {
  const parts: HtmlContent[] = []
  let done = 0
  for (const pair of offsets) {
    const [from, to] = listed(pair)
    if (typeof from !== 'number' || typeof to !== 'number' || from < done || to <= from) continue
    parts.push(text.slice(done, from), html`<mark>${text.slice(from, to)}</mark>`)
    done = to
  }
  return [...parts, text.slice(done)]
}

function snippet(context: PageContext, record: Fields): HtmlContent {
  const found = fieldsAt(record, '_highlight.description')
  const text = textAt(found, 'text')
  if (text !== undefined) {
    const chosen = { text, language: textAt(found, 'language') }
    return html`<p class="snippet"> ${context.inLanguage(chosen, withMarks(text, listed(found['marks'])))} </p>`
  }
  const chosen = context.textOf(record['description'], record)
  if (!chosen) return false
  return html`<p class="snippet">
    ${context.inLanguage(chosen, shortened(plainDescription(chosen.text), snippetLength))} </p>`
}

/** A description without the HTML that many sources put into it. */
export const plainDescription = (text: string): string =>
  text
    .slice(0, 5000)
    .replace(/<[^>]{0,500}>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

/** Cut behind a word. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), length - 40))} …`
}

function tags(context: PageContext, record: Fields): HtmlMarkup {
  const { t, formatsOf, licenceName } = context
  const licence = sharedLicence(record)
  const shown = isJsonObject(licence) ? licenceName(licence) : undefined
  const names = formatsOf(record)
  return html`<div class="tags">
    ${names.length > 0 && html`<span class="vh">${t('formats')}:</span>`}${names.slice(0, 8).map((name) => html`<span class="tag format">${name}</span>`)}${shown !== undefined && html`<span class="tag">${shown}</span>`}${record['is_hvd'] === true && html`<span class="tag">${t('high-value')}</span>`}
    </div>`
}

/** Datasets in a short list: the title of each, and below it what there is to say. */
export const entries = (
  context: PageContext,
  records: readonly Fields[],
  below: (record: Fields) => readonly HtmlContent[],
  style = 'entries',
): HtmlMarkup =>
  html`<ul class="${style}" role="list">${records.map(
    (record) => html`<li>
      <h3><a href="${context.pathTo('datasets', textAt(record, 'id') ?? '')}">${context.titleOf(record)}</a></h3>
      <p>${joined(below(record), ' · ')}</p></li>`,
  )}</ul>`
