/**
 * Tables of the portal (on a narrow screen each row becomes a card, with ARIA roles that keep it a table) and grids of data,
 * which scroll.
 */

import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'

/** Region that scrolls horizontally where the screen is too narrow for its table. */
export const scrollRegion = (label: string, table: HtmlContent): HtmlMarkup =>
  html`<div class="scroll close" tabindex="0" role="group" aria-label="${label}">${table}</div>`

type Cells = readonly HtmlContent[]

/**
 * Table whose label and heads are keys of messages. The first cell of a row is its heading; numbers are right-aligned; the head
 * of a column of buttons (`actions`) is for screen readers only. Without rows the message `no-{label}` is shown.
 */
export function textTable(
  context: PageContext,
  label: string,
  heads: readonly string[],
  rows: readonly Cells[],
): HtmlMarkup {
  const { t } = context
  if (rows.length === 0) return html`<p class="close">${t(`no-${label}`)}</p>`
  const columns = heads.map((key, at) => ({
    label: t(key),
    isHidden: key === 'actions',
    isNumber: rows.some((cells) => typeof cells[at] === 'number'),
  }))
  return scrollRegion(
    t(label),
    html`<table role="table" class="table stacks">
      <thead role="rowgroup"><tr role="row">${columns.map(head)}</tr></thead>
      <tbody role="rowgroup">${rows.map((cells) => row(context, columns, cells))}</tbody></table>`,
  )
}

type Column = { readonly label: string; readonly isHidden: boolean; readonly isNumber: boolean }

const head = ({ label, isNumber, isHidden }: Column): HtmlMarkup =>
  html`<th scope="col" role="columnheader"${isNumber && html` class="num"`}>${
    isHidden ? html`<span class="vh">${label}</span>` : label
  }</th>`

function row({ formats }: PageContext, columns: readonly Column[], [name, ...cells]: Cells) {
  const others = cells.map((cell, at) => {
    const { label, isNumber, isHidden } = columns[at + 1] ?? {}
    const named = !isHidden && html` data-label="${label}"`
    const content = typeof cell === 'number' ? formats.number(cell) : cell
    return html`<td role="cell" class="${isNumber ? 'num' : 'wide'}"${named}>${content}</td>`
  })
  return html`<tr role="row"><th scope="row" role="rowheader" class="wide">${name}</th>${others}</tr>`
}

/** Text of a cell, and its HTML where that is more than the text. */
type GridCell = { readonly text: string; readonly content?: HtmlContent }

/** Grid of the values of a file or a query; columns with numbers only are right-aligned. */
export function gridTable(
  label: string,
  heads: readonly string[],
  rows: readonly (readonly (GridCell | undefined)[])[],
): HtmlMarkup {
  const columns = heads.map((name, at) => {
    const isNumber = rows.every((cells) => /^-?[\d.,\s]*$/.test(cells[at]?.text ?? ''))
    return { name, style: isNumber && rows.length > 0 && html` class="num"` }
  })
  const content = (cell: GridCell | undefined) => cell?.content ?? html`<bdi>${cell?.text}</bdi>`
  return scrollRegion(
    label,
    html`<table class="table grid-lines">
      <thead><tr>${columns.map(({ name, style }) => html`<th scope="col"${style}><bdi>${name}</bdi></th>`)}</tr></thead>
      <tbody>${rows.map(
        (cells) =>
          html`<tr>${columns.map(({ style }, at) => html`<td${style}>${content(cells[at])}</td>`)}</tr>`,
      )}</tbody></table>`,
  )
}
