/** The figures of the quality metrics as others read them: shares, points and lists, for every scope, from the last refresh. */

import type { Dimension, IndicatorName } from '../indicators.ts'
import type { LocalizedTexts } from '../localized-texts.ts'

/** Whose figures: a catalogue by id, a country by ISO 3166-1 alpha-3 in upper case, a publisher by its key. */
export type Scope =
  | 'global'
  | { readonly catalogue: string }
  | { readonly country: string }
  | { readonly publisher: string }

/** Percent with one decimal; `name` is `yes`, `no` or a status code. */
type Share = { readonly name: string; readonly percentage: number }
export type Shares = readonly Share[]

/** Mean of the datasets' points, as an integer; the percentage is that of the mean before it is rounded. */
export type DimensionScore = {
  readonly points: number
  readonly percentage: number
  readonly max: number
}

/** What was measured, and the two that follow from status codes: yes = 200 to 299. */
export type MetricName = IndicatorName | 'accessUrlAccessibility' | 'downloadUrlAccessibility'

/** The figures of one scope; `null` for what was not measured in it. */
export type Aggregate = {
  /** Mean of the scores of the datasets, 0 to 405, as an integer. */
  readonly score: number | null
  readonly dimensions: Readonly<Record<Dimension, DimensionScore | null>>
  /** `yes` and `no`, or one share per status code, the largest first. */
  readonly metrics: Readonly<Record<MetricName, Shares | null>>
}

export const resolutions = ['year', 'month', 'day'] as const
export type Resolution = (typeof resolutions)[number]

/** First and last day (`YYYY-MM-DD`, both included); the last refresh of each period stands for it. */
export type HistorySpan = {
  readonly from: string
  readonly to: string
  readonly resolution: Resolution
}

/** The figures of the day on which they were measured. */
export type HistorySnapshot = { readonly day: string; readonly aggregate: Aggregate }

export type CatalogueFigures = {
  readonly id: string
  readonly titles: LocalizedTexts
  readonly descriptions: LocalizedTexts
  /** The catalogue's languages as tags, the main one first. */
  readonly languages: readonly string[]
  /** ISO 3166-1 alpha-3. */
  readonly country: string | null
  /** Last part or text of its `dct:type`, such as `dcat-ap`. */
  readonly type: string | null
}

/** The key is the IRI of the publisher, or its name where it has none. */
export type PublisherFigures = { readonly key: string; readonly name: string }

export type DatasetFigures = {
  readonly id: string
  readonly iri: string
  readonly catalogue: string
  readonly titles: LocalizedTexts
  /** Language tags of the dataset, the main one first. */
  readonly languages: readonly string[]
  /** `null` when it was measured but not scored. */
  readonly score: number | null
  readonly points: Readonly<Record<Dimension, number | null>>
}

/** Which part of a list. */
export type Page = { readonly offset: number; readonly limit: number }
/** Part of a list, and how long the whole list is. */
export type Listed<T> = { readonly count: number; readonly rows: readonly T[] }

type OfDataset = Pick<DatasetFigures, 'id' | 'iri' | 'titles' | 'languages'>

export type Severity = 'Violation' | 'Warning' | 'Info'

/** One result of the last validation of a dataset (SHACL 3.6). */
export type ViolationRow = {
  readonly dataset: OfDataset
  readonly severity: Severity
  /** IRI of the property; `null` where the result names none. */
  readonly path: string | null
  readonly messages: LocalizedTexts
  readonly value: string | null
  /** Local name of the constraint component, such as `MinCountConstraintComponent`. */
  readonly component: string | null
}

/** A URL whose last status is not 200 to 299. */
export type UnreachableRow = {
  readonly dataset: OfDataset
  readonly distribution: { readonly id: string; readonly iri: string }
  readonly type: 'accessUrl' | 'downloadUrl'
  /** `null` where the measurement does not tell it. */
  readonly url: string | null
  /** HTTP status, or 1100 (no connection) or 1300 (not a URL that can be asked). */
  readonly status: number
  /** xsd:dateTime; `null` where the measurement does not tell it. */
  readonly checked: string | null
}

/** A rule, and how often it was broken in how many datasets. */
export type BrokenRule = {
  readonly path: string | null
  readonly component: string | null
  readonly severity: Severity
  readonly count: number
  readonly datasets: number
  /** Messages of one of the results. */
  readonly messages: LocalizedTexts
}

/** A host (`''` where the URL has none), and its URLs that were not there. */
export type UnreachableHost = {
  readonly host: string
  readonly urls: number
  readonly datasets: number
  /** The most frequent status. */
  readonly status: number
}

/** How many datasets were measured, and how many of them were scored in each band. */
export type MeasuredCounts = {
  /** All datasets of the scope. */
  readonly all: number
  readonly datasets: number
  readonly distributions: number
  readonly bands: readonly { readonly id: string; readonly datasets: number }[]
}

/** Points from and to, both included. */
export type ScoreBand = { readonly id: string; readonly from: number; readonly to: number }

export type RankedCatalogue = {
  readonly catalogue: CatalogueFigures
  readonly score: number | null
  /** Those that were measured. */
  readonly datasets: number
  readonly dimensions: Aggregate['dimensions']
}

/** Reading what the last refresh found; nothing waits. What is unknown or hidden is `undefined`, and its lists are empty. */
export type Figures = {
  /** When and as which number the figures became what they are; `undefined` before the first refresh. */
  refreshed(): { readonly at: Date; readonly number: number } | undefined
  /** By id. */
  catalogues(): readonly CatalogueFigures[]
  /** By score, ties by id; those without a score are last in both orders. */
  rankedCatalogues(order: 'best' | 'worst', page: Page): Listed<RankedCatalogue>
  /** Alpha-3 codes in order. */
  countries(): readonly string[]
  /** With the most datasets first. */
  publishers(page: Page): Listed<PublisherFigures>
  catalogue(id: string): CatalogueFigures | undefined
  publisher(key: string): PublisherFigures | undefined
  aggregate(scope: Scope): Aggregate | undefined
  measured(scope: Scope): MeasuredCounts | undefined
  /** Ascending; periods without a refresh are left out. */
  history(scope: Scope, span: HistorySpan): readonly HistorySnapshot[]
  /** By score, ties by id; datasets without a score are in neither. */
  best(scope: Scope, limit: number): readonly DatasetFigures[]
  worst(scope: Scope, limit: number): readonly DatasetFigures[]
  /** In the order of dataset ids, then of paths. */
  violations(catalogue: string, page: Page): Listed<ViolationRow>
  /** In the order of dataset ids, then of URLs. */
  unreachable(catalogue: string, page: Page): Listed<UnreachableRow>
  /** The most frequent first. */
  violationsByRule(scope: Scope, limit: number): readonly BrokenRule[]
  unreachableByHost(scope: Scope, limit: number): readonly UnreachableHost[]
}
