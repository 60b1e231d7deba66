/** A report as JSON: the same figures as plain values, each indicator with its rule. */

import { figureRules, indicatorWords, tenths } from './indicator-texts.ts'
import type {
  CatalogueList,
  CatalogueRow,
  IndicatorFigure,
  MeasuredReport,
  Report,
} from './report.ts'

export const reportJson = ({ subject, refreshed, measured, catalogues, ...report }: Report) => ({
  report: subject.id === undefined ? 'portal' : 'catalogue',
  id: subject.id ?? null,
  title: subject.title.text,
  description: subject.description?.text ?? null,
  locale: report.locale,
  refreshed: refreshed?.at.toISOString() ?? null,
  refresh: refreshed?.number ?? null,
  most: report.most,
  bands: report.bands,
  measured: measured ? measuredJson(measured) : null,
  ...(catalogues && { catalogues: catalogueJson(catalogues) }),
  rules: figureRules,
})

const measuredJson = ({
  indicators,
  worstIndicators,
  violations,
  ...measured
}: MeasuredReport) => ({
  ...measured,
  band: measured.band?.id ?? null,
  byBand: measured.byBand.map(({ band, datasets }) => ({ band: band.id, datasets })),
  indicators: indicators.map(indicatorJson),
  worstIndicators: worstIndicators.map(({ name }) => name),
  violations: violations.map(({ message, messages: _messages, ...rule }) => ({
    ...rule,
    message: message.text,
  })),
  worst: measured.worst.map(rowJson),
  best: measured.best.map(rowJson),
})

function indicatorJson(indicator: IndicatorFigure) {
  const { name, dimension, type, points, share, missing, codes } = indicator
  const { label: title, rule } = indicatorWords[name]
  return {
    name,
    title,
    rule,
    dimension,
    points,
    yes: share,
    missing: share === null ? null : tenths(missing),
    ...(type === 'status' && { codes }),
  }
}

/** A dataset or a catalogue. */
const rowJson = <Row extends Pick<CatalogueRow, 'title' | 'band'>>({
  title,
  band,
  ...row
}: Row) => ({
  ...row,
  title: title.text,
  band: band?.id ?? null,
})

const catalogueJson = ({ count, page, order, rows }: CatalogueList) => ({
  count,
  ...page,
  order,
  results: rows.map(rowJson),
})
