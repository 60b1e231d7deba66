/** The datasets at both ends. */

import type { DatasetRow, MeasuredReport, Report } from '../report.ts'
import { figureRules } from '../telling/rules.ts'
import { dimensionCells, dimensionHeads } from './dimension-cells.ts'
import { markup, type Markup } from './markup.ts'
import { bandName, linked, points, said, section, wide } from './parts.ts'

export const worstDatasets = (report: Report, { worst }: MeasuredReport): Markup =>
  section(
    { id: 'worst-datasets', title: 'Datasets with the lowest scores', rule: figureRules.worst },
    list(report, worst, 'Datasets with the lowest scores'),
  )

export const bestDatasets = (report: Report, { best }: MeasuredReport): Markup =>
  section(
    { id: 'best-datasets', title: 'Datasets with the highest scores', rule: figureRules.best },
    list(report, best, 'Datasets with the highest scores'),
  )

const list = (report: Report, rows: readonly DatasetRow[], caption: string): Markup =>
  rows.length === 0
    ? markup`<p class="note">No dataset has a score.</p>`
    : wide(
        caption,
        markup`
<table>
<caption class="unseen">${caption}</caption>
<thead><tr><th scope="col">Dataset</th>${report.subject.id === undefined && markup`<th scope="col">Catalogue</th>`}${dimensionHeads}<th scope="col" class="number">Score</th><th scope="col">Band</th></tr></thead>
<tbody>
${rows.map((row) => datasetRow(report, row))}</tbody>
</table>`,
      )

const datasetRow = ({ subject, bands }: Report, row: DatasetRow): Markup =>
  markup`<tr><th scope="row">${linked(row.iri, said(row.title))}</th>${subject.id === undefined && markup`<td>${said({ text: row.catalogue }, 60)}</td>`}${dimensionCells(row.points)}<td class="number">${points(row.score)}</td><td>${bandName(bands, row.band)}</td></tr>
`
