/** Tables: on a narrow screen each row becomes a card, and roles keep it a table for screen readers; grids of values scroll. */

import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'

/** A region that scrolls sideways where the screen is too narrow for the table in it. */
export const scrollRegion = (label: string, table: HtmlContent): HtmlMarkup =>
  html`<div class="scroll close" tabindex="0" role="group" aria-label="${label}">${table}</div>`

type Cells = readonly HtmlContent[]

/**
 * A table whose label and heads are texts of the portal, by their keys. The first cell of a row names the row; numbers stand at
 * the end of their cells; the head of a column of buttons (`actions`) is for screen readers only. Without rows it is what `no-{label}`
 * says.
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
    const shown = typeof cell === 'number' ? formats.number(cell) : cell
    return html`<td role="cell" class="${isNumber ? 'num' : 'wide'}"${named}>${shown}</td>`
  })
  return html`<tr role="row"><th scope="row" role="rowheader" class="wide">${name}</th>${others}</tr>`
}

/** A value as it came, and how it is shown where that is more than its text. */
type GridCell = { readonly text: string; readonly shown?: HtmlContent }

/** Values of files and queries: columns that hold nothing but numbers are set as such. */
export function gridTable(
  label: string,
  heads: readonly string[],
  rows: readonly (readonly (GridCell | undefined)[])[],
): HtmlMarkup {
  const columns = heads.map((name, at) => {
    const isNumber = rows.every((cells) => /^-?[\d.,\s]*$/.test(cells[at]?.text ?? ''))
    return { name, style: isNumber && rows.length > 0 && html` class="num"` }
  })
  const cell = (one: GridCell | undefined) => one?.shown ?? html`<bdi>${one?.text}</bdi>`
  return scrollRegion(
    label,
    html`<table class="table grid-lines">
      <thead><tr>${columns.map(({ name, style }) => html`<th scope="col"${style}><bdi>${name}</bdi></th>`)}</tr></thead>
      <tbody>${rows.map(
        (cells) =>
          html`<tr>${columns.map(({ style }, at) => html`<td${style}>${cell(cells[at])}</td>`)}</tr>`,
      )}</tbody></table>`,
  )
}
