/** Facets and their values named in the language that was asked for; what has no name in it keeps the one that it has. */

import type { Facet, FacetItem, SearchIndex } from '../search-index/search-index.ts'
import { isJsonObject } from '../text/json.ts'
import { everything, listAt, recordFields, textAt } from './record-values.ts'

/** The order of the translations of names that are the platform's own. */
const languages = ['de', 'fr', 'it']

/** Names of the platform's own, as the default facets have them; others are the operator's. */
const names: Readonly<Record<string, readonly string[]>> = {
  'Data scope': ['Datenbereich', 'Portée des données', 'Ambito dei dati'],
  'Country data': ['Daten eines Landes', 'Données d’un pays', 'Dati di un paese'],
  'High-value datasets': [
    'Hochwertige Datensätze',
    'Jeux de données de forte valeur',
    'Dati di elevato valore',
  ],
  'HVD categories': [
    'Kategorien hochwertiger Daten',
    'Catégories de forte valeur',
    'Categorie di elevato valore',
  ],
  Countries: ['Länder', 'Pays', 'Paesi'],
  Catalogues: ['Kataloge', 'Catalogues', 'Cataloghi'],
  'Super catalogues': ['Übergeordnete Kataloge', 'Catalogues parents', 'Cataloghi superiori'],
  Categories: ['Themen', 'Thèmes', 'Temi'],
  Publishers: ['Herausgeber', 'Éditeurs', 'Editori'],
  Keywords: ['Schlagwörter', 'Mots-clés', 'Parole chiave'],
  'Metadata quality': ['Metadatenqualität', 'Qualité des métadonnées', 'Qualità dei metadati'],
  Excellent: ['Ausgezeichnet', 'Excellent', 'Eccellente'],
  Good: ['Gut', 'Bon', 'Buono'],
  Sufficient: ['Ausreichend', 'Suffisant', 'Sufficiente'],
  Bad: ['Mangelhaft', 'Insuffisant', 'Insufficiente'],
  Formats: ['Formate', 'Formats', 'Formati'],
  Licenses: ['Lizenzen', 'Licences', 'Licenze'],
  Subjects: ['Gegenstände', 'Sujets', 'Argomenti'],
  'Data services': ['Datendienste', 'Services de données', 'Servizi di dati'],
  Vocabularies: ['Vokabulare', 'Vocabulaires', 'Vocabolari'],
}

/** Facets whose values are in the platform's own words too. */
const ownWords = new Set(['dataScope', 'scoring'])

/** Facets whose values have labels in several languages, and the member of datasets where these stand. */
const labelled: Readonly<Record<string, string>> = {
  categories: 'categories',
  hvdCategory: 'hvd_category',
  subject: 'subject',
}
/** Records that are read at a time for labels, and how often. */
const [mostRecords, mostRounds] = [50, 4]

type Labels = ReadonlyMap<string, string>

/** The facets with titles of their values in a language (two or three letters, lower case). */
export function namedIn(
  index: SearchIndex,
  { facets, language }: { readonly facets: readonly Facet[]; readonly language: string },
  signal: AbortSignal,
): Promise<readonly Facet[]> {
  const at = languages.indexOf(language)
  const own = (name: string) => (Object.hasOwn(names, name) ? names[name]?.[at] : undefined) ?? name
  return Promise.all(
    facets.map(async ({ id, title, items }) => {
      const labels = await labelsOf(index, { id, items, language }, signal)
      const renamed = items.map((item) => {
        const found = ownWords.has(id) ? own(item.title) : labels.get(item.id)
        return found === undefined ? item : { ...item, title: found }
      })
      return { id, title: own(title), items: renamed }
    }),
  )
}

type Asked = {
  readonly id: string
  readonly items: readonly FacetItem[]
  readonly language: string
}

const noLabels: Labels = new Map()

async function labelsOf(index: SearchIndex, asked: Asked, signal: AbortSignal): Promise<Labels> {
  const { id, items, language } = asked
  if (id === 'country') return countryNames(items, language)
  if (id === 'catalog') return catalogueNames(index, asked, signal)
  const path = Object.hasOwn(labelled, id) ? labelled[id] : undefined
  // Titles are English as they come.
  return path === undefined || language === 'en' ? noLabels : labelsIn(index, asked, path, signal)
}

function countryNames(items: readonly FacetItem[], language: string): Labels {
  const known = new Intl.DisplayNames([language, 'en'], { type: 'region', fallback: 'none' })
  return new Map(
    items.flatMap(({ id }) => {
      const name = /^[a-z]{2}$/i.test(id) ? known.of(id.toUpperCase()) : undefined
      return name === undefined ? [] : [[id, name]]
    }),
  )
}

/** Titles of catalogues that have one in the language. */
async function catalogueNames(
  index: SearchIndex,
  { items, language }: Asked,
  signal: AbortSignal,
): Promise<Labels> {
  const all = items.slice(0, mostRecords).map(async ({ id }) => {
    const record = await index.get('catalogue', id, signal)
    const title =
      record === undefined ? undefined : textAt(recordFields(record), `title.${language}`)
    return title === undefined ? [] : [[id, title] as const]
  })
  return new Map((await Promise.all(all)).flat())
}

/** Labels as they stand in records that have the values: a few records have nearly all of them. */
async function labelsIn(
  index: SearchIndex,
  { id: facet, items, language }: Asked,
  path: string,
  signal: AbortSignal,
): Promise<Labels> {
  const labels = new Map<string, string>()
  let missing = items.filter(({ count }) => count > 0).map(({ id }) => id)
  for (let round = 0; round < mostRounds && missing.length > 0; round++) {
    const of = missing.map((value) => ({ kind: 'value', facet, value }) as const)
    const asked = { ...everything('dataset'), limit: mostRecords, include: [path] }
    const { hits } = await index.search({ ...asked, tree: { kind: 'or', of } }, signal)
    const seen = new Set<string>()
    for (const value of hits.flatMap(({ record }) => listAt(recordFields(record), path))) {
      const id = textAt(value, 'id')
      const label = textAt(value, `label.${language}`)
      if (id !== undefined) seen.add(id)
      if (id !== undefined && label !== undefined && isJsonObject(value)) labels.set(id, label)
    }
    const before = missing.length
    missing = missing.filter((id) => !seen.has(id))
    if (missing.length === before) break
  }
  return labels
}
