/** Subjects of datasets as concepts of the EU data themes: what portals call them, INSPIRE themes and ISO topics. */

import { conceptIri, type Authorities } from './authorities.ts'
import { authority } from './concept.ts'
import { squashed } from './concept-table.ts'
import { saidText } from './loose-values.ts'
import { namesOf } from './names.ts'

const [synonyms, inspire, topics] = [
  namesOf('themes'),
  namesOf('inspire-themes'),
  namesOf('iso-topics'),
]

/** Codes of the data themes for the IRI of an INSPIRE theme or of an ISO topic. */
function foreignThemes(iri: string): readonly string[] {
  const [, list, name = ''] =
    /^https?:\/\/inspire\.ec\.europa\.eu\/(theme|metadata-codelist\/TopicCategory)\/(\w+)\/?$/i.exec(
      iri,
    ) ?? []
  if (list !== 'theme') return list === undefined ? [] : topicThemes(name)
  return inspire.get(name.toLowerCase())?.split(' ') ?? []
}

/** The same for the name of an ISO topic, which only a field for such topics may hold: elsewhere it is a common word. */
function topicThemes(topic: string): readonly string[] {
  const codes = topics.get(squashed(topic))?.split(' ') ?? []
  return [...new Set(codes.flatMap((code) => inspire.get(code)?.split(' ') ?? [code]))]
}

const iriOf = (code: string) => `${authority}data-theme/${code}`

/** Themes for a concept of the table in any of its names, or the IRI of an INSPIRE theme or ISO topic; else none. */
export function themesOf(value: unknown, authorities: Authorities): readonly string[] {
  const text = saidText(value)
  if (text === undefined) return []
  const own = conceptIri('dataTheme', text, authorities)
  if (own !== undefined) return [own]
  const code = synonyms.get(squashed(text))
  return (code === undefined ? foreignThemes(text) : [code]).map(iriOf)
}

/** Themes for what a field for ISO topics holds: their names, else as `themesOf`. */
export function themesOfTopic(value: unknown, authorities: Authorities): readonly string[] {
  const codes = topicThemes(saidText(value) ?? '')
  return codes.length > 0 ? codes.map(iriOf) : themesOf(value, authorities)
}
