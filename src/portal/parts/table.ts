/** Tables: on a narrow screen each row becomes a card, and roles keep it a table for screen readers; grids of values scroll. */

import type { PageContext } from '../context.ts'
import { html, type HtmlContent, type HtmlMarkup } from '../html.ts'

export type Column = {
  readonly label: string
  /** Digits, at the end of their cell; on a narrow screen below their label. */
  readonly isNumber?: boolean
  /** The label is for screen readers only: a column of buttons. */
  readonly isHidden?: boolean
}

type TableOptions = {
  /** What the table shows, for screen readers. */
  readonly label: string
  readonly columns: readonly Column[]
  /** Cells by row; the first cell of a row names the row. */
  readonly rows: readonly (readonly HtmlContent[])[]
}

/** A region that scrolls sideways where the screen is too narrow for the table in it. */
export const scrolling = (label: string, table: HtmlContent): HtmlMarkup =>
  html`<div class="scroll close" tabindex="0" role="group" aria-label="${label}">${table}</div>`

export const dataTable = ({ label, columns, rows }: TableOptions): HtmlMarkup =>
  scrolling(
    label,
    html`<table role="table" class="table stacks">
      <thead role="rowgroup"><tr role="row">${columns.map(head)}</tr></thead>
      <tbody role="rowgroup">${rows.map((cells) => row(columns, cells))}</tbody></table>`,
  )

/** A table whose label and heads are texts of the portal. */
export const textTable = (
  { t }: PageContext,
  label: string,
  heads: readonly (string | Column)[],
  rows: TableOptions['rows'],
): HtmlMarkup => {
  const columns = heads.map((one) => (typeof one === 'string' ? { label: t(one) } : one))
  return dataTable({ label: t(label), columns, rows })
}

const head = ({ label, isNumber, isHidden }: Column): HtmlMarkup =>
  html`<th scope="col" role="columnheader"${isNumber && html` class="num"`}>${
    isHidden ? html`<span class="vh">${label}</span>` : label
  }</th>`

function row(columns: readonly Column[], [name, ...cells]: readonly HtmlContent[]): HtmlMarkup {
  const others = cells.map((cell, at) => {
    const { label, isNumber, isHidden } = columns[at + 1] ?? {}
    const named = !isHidden && html` data-label="${label}"`
    return html`<td role="cell" class="${isNumber ? 'num' : 'wide'}"${named}>${cell}</td>`
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
  return scrolling(
    label,
    html`<table class="table grid-lines">
      <thead><tr>${columns.map(({ name, style }) => html`<th scope="col"${style}><bdi>${name}</bdi></th>`)}</tr></thead>
      <tbody>${rows.map(
        (cells) =>
          html`<tr>${columns.map(({ style }, at) => html`<td${style}>${cell(cells[at])}</td>`)}</tr>`,
      )}</tbody></table>`,
  )
}
