/** Tables: on a narrow screen each row becomes a card, and roles keep it a table for screen readers. */

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
  readonly caption?: HtmlContent
}

/** A table in a region that scrolls sideways where the screen is too narrow for it. */
export const dataTable = ({ label, columns, rows, caption }: TableOptions): HtmlMarkup => html`
  <div class="scroll close" tabindex="0" role="group" aria-label="${label}">
    <table role="table" class="table stacks">
      ${caption !== undefined && html`<caption>${caption}</caption>`}
      <thead role="rowgroup"><tr role="row">${columns.map(head)}</tr></thead>
      <tbody role="rowgroup">${rows.map((cells) => row(columns, cells))}</tbody>
    </table>
  </div>`

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
