/** Datasets in lists: hits of a search with their words marked, and short entries. */

import { isJsonObject, type Fields } from '../../text/json.ts'
import { html, joined, type HtmlContent, type HtmlMarkup } from '../html.ts'
import { chosenText } from '../languages.ts'
import { pathTo, type PageContext } from '../page.ts'
import {
  valueAt,
  memberFields,
  formatsOf,
  inLanguage,
  licenceName,
  labelText,
  listed,
  textOr,
  recordScore,
  sharedLicence,
  titleText,
  wantedLanguages,
} from '../record.ts'
import { qualityMark } from './quality.ts'

/** Characters of a description in a list. */
const snippetLength = 240

/** One hit of a search; a record without id, which is not published, has no page to lead to. */
export function hit(context: PageContext, record: Fields): HtmlMarkup {
  const { t, formats } = context
  const id = textOr(record['id']) ?? ''
  const marks = memberFields(record['_highlight'])
  const title = marked(valueAt(record, 'title'), listed(marks['title']), context, record)
  const updated = formats.day(record['modified'] ?? record['issued'])
  const score = recordScore(record)
  const from = joined(
    [
      labelText(context, record['publisher']),
      labelText(context, record['catalog']),
      updated && html`<span class="nowrap">${t('updated')} ${updated}</span>`,
    ],
    ' · ',
  )
  const name = titleText(context, record, title)
  const heading = id === '' ? name : html`<a href="${pathTo(context, 'datasets', id)}">${name}</a>`
  return html`<li> <h2>${heading}</h2> <p class="from">${from}</p> ${snippet(context, record)}
    <div class="under"> ${tags(context, record)}${score !== undefined && qualityMark(context, score, pathTo(context, 'datasets', id, 'quality'))}
    </div> </li>`
}

/** The text of the page's language with the offsets `[from, to]` marked; nothing where there are none. */
function marked(
  value: unknown,
  offsets: readonly unknown[],
  context: PageContext,
  record: Fields,
): HtmlContent {
  const chosen = chosenText(value, wantedLanguages(context, record))
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
  const found = memberFields(valueAt(record, '_highlight.description'))
  const text = textOr(found['text'])
  if (text !== undefined) {
    const chosen = { text, language: textOr(found['language']) }
    return html`<p class="snippet"> ${inLanguage(context, chosen, withMarks(text, listed(found['marks'])))} </p>`
  }
  const chosen = chosenText(record['description'], wantedLanguages(context, record))
  if (!chosen) return false
  return html`<p class="snippet">
    ${inLanguage(context, chosen, shortened(plainDescription(chosen.text), snippetLength))} </p>`
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
  const { t } = context
  const licence = sharedLicence(record)
  const shown = isJsonObject(licence) ? licenceName(context, licence) : undefined
  const names = formatsOf(context, record)
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
      <h3><a href="${pathTo(context, 'datasets', textOr(record['id']) ?? '')}">${titleText(context, record)}</a></h3>
      <p>${joined(below(record), ' · ')}</p></li>`,
  )}</ul>`
