/** A report as JSON: the same figures as plain values, each indicator with its rule. */

import type { Band } from '../../search-index/index-settings.ts'
import type {
  CatalogueList,
  DatasetRow,
  IndicatorFigure,
  MeasuredReport,
  Report,
} from './report.ts'
import { tenths } from './number-texts.ts'
import { figureRules, indicatorWords } from './indicator-texts.ts'

export const jsonOf = ({ subject, refreshed, measured, catalogues, ...report }: Report) => ({
  report: subject.id === undefined ? 'portal' : 'catalogue',
  id: subject.id ?? null,
  title: subject.title.text,
  description: subject.description?.text ?? null,
  locale: report.locale,
  refreshed: refreshed?.at.toISOString() ?? null,
  refresh: refreshed?.number ?? null,
  most: report.most,
  bands: report.bands,
  measured: measured ? measuredOf(measured) : null,
  ...(catalogues && { catalogues: listOf(catalogues) }),
  rules: figureRules,
})

const measuredOf = ({
  indicators,
  worstIndicators,
  violations,
  byBand,
  ...measured
}: MeasuredReport) => ({
  ...measured,
  band: idOf(measured.band),
  byBand: byBand.map(({ band, datasets }) => ({ band: band.id, datasets })),
  indicators: indicators.map(indicatorOf),
  worstIndicators: worstIndicators.map(({ name }) => name),
  violations: violations.map(({ message, messages: _messages, ...rule }) => ({
    ...rule,
    message: message.text,
  })),
  worst: measured.worst.map(rowOf),
  best: measured.best.map(rowOf),
})

const indicatorOf = ({
  name,
  dimension,
  type,
  points,
  share,
  missing,
  codes,
}: IndicatorFigure) => ({
  name,
  title: indicatorWords[name].label,
  rule: indicatorWords[name].rule,
  dimension,
  points,
  yes: share,
  missing: share === null ? null : tenths(missing),
  ...(type === 'status' && { codes }),
})

const rowOf = ({ title, band, ...row }: DatasetRow) => ({
  ...row,
  title: title.text,
  band: idOf(band),
})

const listOf = ({ count, page, order, rows }: CatalogueList) => ({
  count,
  offset: page.offset,
  limit: page.limit,
  order,
  results: rows.map(({ title, band, ...row }) => ({
    ...row,
    title: title.text,
    band: idOf(band),
  })),
})

const idOf = (band: Band | undefined): string | null => band?.id ?? null
