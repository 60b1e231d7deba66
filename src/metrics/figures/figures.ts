/** Types of the figures of the quality metrics: shares, points and lists, for every scope, from the last refresh. */

import type { Dimension, IndicatorName } from '../indicators.ts'
import type { Severity } from '../measure/validation-report.ts'
import type { LocalizedTexts } from '../localized-texts.ts'

/** Scope of figures: a catalogue by id, a country by ISO 3166-1 alpha-3 in upper case, a publisher by its key. */
export type Scope =
  | 'global'
  | { readonly catalogue: string }
  | { readonly country: string }
  | { readonly publisher: string }

/** Percent with one decimal; `name` is `yes`, `no` or a status code. */
export type Shares = readonly { readonly name: string; readonly percentage: number }[]

/**
 * Mean of the datasets' points, as an integer; the percentage is that of the mean before it is rounded, of `max`, the most points
 * of the dimension.
 */
export type DimensionScore = {
  readonly points: number
  readonly percentage: number
  readonly max: number
}

/** Name of a metric, or of one of the two that follow from status codes: yes = 200 to 299. */
export type MetricName = IndicatorName | 'accessUrlAccessibility' | 'downloadUrlAccessibility'

/** The figures of one scope; `null` for what was not measured in it. */
export type Aggregate = {
  /** Mean of the scores of the datasets as an integer; 0 to 405 with the published weights. */
  readonly score: number | null
  readonly dimensions: Readonly<Record<Dimension, DimensionScore | null>>
  /** `yes` and `no`, or one share per status code, the largest first. */
  readonly metrics: Readonly<Record<MetricName, Shares | null>>
}

/** Periods of a history, of which each has one snapshot. */
export const resolutions = ['year', 'month', 'day'] as const
/** One of the periods. */
export type Resolution = (typeof resolutions)[number]

/** First and last day (`YYYY-MM-DD`, both included), and the periods, each of which has the snapshot of its last refresh. */
export type HistorySpan = {
  readonly from: string
  readonly to: string
  readonly resolution: Resolution
}

/** Figures of one day. */
export type HistorySnapshot = { readonly day: string; readonly aggregate: Aggregate }

/** Description of a catalogue. */
export type CatalogueFigures = {
  readonly id: string
  readonly titles: LocalizedTexts
  readonly descriptions: LocalizedTexts
  /** As tags, the main one first. */
  readonly languages: readonly string[]
  /** ISO 3166-1 alpha-3. */
  readonly country: string | null
  /** Last part or text of its `dct:type`, such as `dcat-ap`. */
  readonly type: string | null
}

/** Publisher with figures; the key is its IRI, or its name where it has none. */
export type PublisherFigures = { readonly key: string; readonly name: string }

/** Part of a list that is wanted. */
export type PageRange = { readonly offset: number; readonly limit: number }
/** Part of a list, and how long the whole list is. */
export type ListPart<T> = { readonly count: number; readonly rows: readonly T[] }

type DatasetReference = {
  readonly id: string
  readonly iri: string
  readonly titles: LocalizedTexts
  /** As tags, the main one first. */
  readonly languages: readonly string[]
}

/** Dataset in a list by score, with its score and those of its dimensions. */
export type DatasetFigures = DatasetReference & {
  readonly catalogue: string
  /** `null` without a score; lists by score leave such datasets out. */
  readonly score: number | null
  readonly points: Readonly<Record<Dimension, number | null>>
}

/** Rule of a validation: `path` is an IRI, `component` a local name such as `MinCountConstraintComponent`, where there is one. */
type Rule = {
  readonly severity: Severity
  readonly path: string | null
  readonly component: string | null
  readonly messages: LocalizedTexts
}

/** One result of the last validation of a dataset (SHACL 3.6). */
export type ViolationRow = Rule & {
  readonly dataset: DatasetReference
  readonly value: string | null
}

/** A rule, how often it was broken in how many datasets, and the messages of one of the results. */
export type BrokenRule = Rule & { readonly count: number; readonly datasets: number }

/** A URL whose last status is not 200 to 299. */
export type UnreachableRow = {
  readonly dataset: DatasetReference
  readonly distribution: { readonly id: string; readonly iri: string }
  readonly type: 'accessUrl' | 'downloadUrl'
  readonly url: string | null
  /** HTTP status, or 1100 (no connection or no usable answer) or 1300 (not a URL that can be asked). */
  readonly status: number
  /** xsd:dateTime */
  readonly checked: string | null
}

/**
 * Host (`''` where the URL has none), the number of its unreachable URLs and of their datasets, and their most frequent status.
 */
export type UnreachableHost = {
  readonly host: string
  readonly urls: number
  readonly datasets: number
  readonly status: number
}

/** Band of scores; points from and to, both included. */
export type ScoreBand = { readonly id: string; readonly from: number; readonly to: number }
