/** How much a field counts in the order of relevance. */

import { idField } from '../../field-reach.ts'
import type { IndexSettings } from '../../index-settings.ts'

/** Field, or field and language, → weight of a request. */
export type Boosts = Readonly<Record<string, number>>
type Texts = Pick<IndexSettings, 'texts'>

/** Fields in the order in which the engine prefers them by itself: those that weigh most come first. */
export const searchedFields = ({ texts }: Texts): readonly string[] =>
  texts.toSorted((a, b) => b.boost - a.boost).map(({ name }) => name)

/** Whether the wanted weights fall along the fields: then the engine's own order is the wanted one. */
export function isInOrder(among: ReadonlySet<string>, boosts: Boosts, settings: Texts): boolean {
  const fields = searchedFields(settings).filter((field) => field !== idField && among.has(field))
  const weights = fields.map(weightsOf(boosts, settings))
  return weights.every((weight, i) => weight <= (weights[i - 1] ?? Infinity))
}

/** Weights by field: those of the request, else those of the settings. */
export function weightsOf(boosts: Boosts, { texts }: Texts): (field: string) => number {
  const own = new Map(texts.map((text) => [text.name, text.boost]))
  return (field) => boosts[field] ?? languageBoost(field, boosts) ?? own.get(field) ?? 1
}

/** `title.en` weighs the field as a whole. */
function languageBoost(field: string, boosts: Boosts): number | undefined {
  const given = Object.keys(boosts).filter((name) => name.startsWith(`${field}.`))
  return given.length === 0 ? undefined : Math.max(...given.map((name) => boosts[name] ?? 1))
}
