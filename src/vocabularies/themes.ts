/** Subjects of datasets as concepts of the EU data themes: what portals call them, INSPIRE themes and ISO topics. */

import { conceptIri, type Authorities } from './authorities.ts'
import { authority } from './concept.ts'
import { squashed } from './concept-table.ts'
import { saidText } from './loose-values.ts'

/** Words after each code or codes, turned round. */
const table = (lines: string): ReadonlyMap<string, string> =>
  new Map(
    lines
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [codes = '', words = ''] = line.split(': ')
        return words.split(' ').map((word) => [word, codes] as const)
      }),
  )

/** Data themes of each INSPIRE theme (alignment of SEMIC). */
const inspire = table(`
REGI: ad rs gg gn el bu
REGI ECON: cp
REGI TECH: ge oi
ENVI: ps lc am ac br ef hb nz of sr so sd
ENVI TECH: hy mf
ENVI ECON: lu
ENVI ECON ENER: mr
GOVE: au us
TRAN: tn
AGRI: af
ENER: er
HEAL: hh
SOCI: pd su
ECON: pf
`)

/** ISO 19115 topic → INSPIRE themes; where those lead astray (economy has minerals and energy), data themes. */
const topics: Readonly<Record<string, string>> = {
  biota: 'br hb sd',
  boundaries: 'au su',
  climatologymeteorologyatmosphere: 'ac mf',
  economy: 'ECON',
  elevation: 'el',
  environment: 'ps',
  farming: 'af',
  geoscientificinformation: 'ge nz so',
  health: 'hh',
  imagerybasemapsearthcover: 'lc oi',
  inlandwaters: 'hy',
  location: 'ad gn',
  oceans: 'of sr',
  planningcadastre: 'am cp lu',
  society: 'SOCI',
  structure: 'bu ef pf',
  transportation: 'tn',
  utilitiescommunication: 'us',
}

const codesOf = (given: string) =>
  given.split(' ').flatMap((code) => inspire.get(code)?.split(' ') ?? [code])

/** Codes of the data themes for the IRI of an INSPIRE theme or of an ISO topic. */
function foreignThemes(iri: string): readonly string[] {
  const [, list, name = ''] =
    /^https?:\/\/inspire\.ec\.europa\.eu\/(theme|metadata-codelist\/TopicCategory)\/(\w+)\/?$/i.exec(
      iri,
    ) ?? []
  if (list === undefined) return []
  if (list !== 'theme') return topicThemes(name)
  return inspire.get(name.toLowerCase())?.split(' ') ?? []
}

/** The same for the name of an ISO topic, which only a field for such topics may hold: elsewhere it is a common word. */
function topicThemes(topic: string): readonly string[] {
  const name = squashed(topic)
  return Object.hasOwn(topics, name) ? [...new Set(codesOf(topics[name] ?? ''))] : []
}

/** What portals call the EU data themes, beside the labels and codes of the table; squashed. */
const synonyms = table(`
AGRI: agriculture farming fisheries forestry food landwirtschaft landundforstwirtschaft agricoltura agricultura landbouw
ECON: economy economics finance finances business economyandbusiness businessandeconomy wirtschaft finanzen économie economie economia economía hacienda
EDUC: education culture sport sports educationandculture bildung kultur éducation enseignement istruzione cultura educación onderwijs
ENER: energy energie énergie energia energía
ENVI: environment environmentalprotection natureandenvironment umwelt umweltundklima environnement ambiente medioambiente milieu
GOVE: government publicsector publicadministration governmentandpublicadministration politics verwaltung öffentlicheverwaltung administration administrationpublique governo gobierno sectorpúblico overheid
HEAL: health healthcare gesundheit santé salute salud gezondheid
INTR: international internationalaffairs internationales
JUST: justice law publicsafety publicsafetyandjustice justiz recht giustizia justicia justitie
REGI: cities regions regionsandcities urbandevelopment städteundregionen
SOCI: society population demography demographics socialaffairs gesellschaft bevölkerung soziales société società sociedad samenleving
TECH: science technology scienceandtechnology research wissenschaft technologie forschung recherche scienza ciencia wetenschap
TRAN: transport transportation mobility traffic transportandmobility verkehr mobilität transports mobilité trasporti mobilità transporte movilidad verkeer mobiliteit
`)

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
