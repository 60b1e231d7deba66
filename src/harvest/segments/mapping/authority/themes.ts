/** Subjects of other vocabularies, as codes of the EU data themes. */
import { squashed } from './spellings.ts'

/** INSPIRE theme → data themes (alignment of SEMIC). */
const inspire: Readonly<Record<string, string>> = {
  ad: 'REGI',
  rs: 'REGI',
  gg: 'REGI',
  gn: 'REGI',
  el: 'REGI',
  bu: 'REGI',
  cp: 'REGI ECON',
  ge: 'REGI TECH',
  oi: 'REGI TECH',
  ps: 'ENVI',
  lc: 'ENVI',
  am: 'ENVI',
  ac: 'ENVI',
  br: 'ENVI',
  ef: 'ENVI',
  hb: 'ENVI',
  nz: 'ENVI',
  of: 'ENVI',
  sr: 'ENVI',
  so: 'ENVI',
  sd: 'ENVI',
  hy: 'ENVI TECH',
  mf: 'ENVI TECH',
  lu: 'ENVI ECON',
  mr: 'ENVI ECON ENER',
  au: 'GOVE',
  us: 'GOVE',
  tn: 'TRAN',
  af: 'AGRI',
  er: 'ENER',
  hh: 'HEAL',
  pd: 'SOCI',
  su: 'SOCI',
  pf: 'ECON',
}

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

const themesOf = (codes: string) =>
  codes.split(' ').flatMap((code) => inspire[code]?.split(' ') ?? [code])

/** Codes of the EU data themes for the IRI of an INSPIRE theme or of an ISO topic. */
export function foreignThemes(iri: string): readonly string[] {
  const code = /^https?:\/\/inspire\.ec\.europa\.eu\/theme\/([a-z]{2})\/?$/i
    .exec(iri)?.[1]
    ?.toLowerCase()
  if (code !== undefined && Object.hasOwn(inspire, code)) return themesOf(code)
  const topic =
    /^https?:\/\/inspire\.ec\.europa\.eu\/metadata-codelist\/TopicCategory\/(\w+)\/?$/i.exec(
      iri,
    )?.[1]
  return topic === undefined ? [] : topicThemes(topic)
}

/** The same for the name of an ISO topic, which only a field for such topics may hold: elsewhere it is a common word. */
export function topicThemes(topic: string): readonly string[] {
  const name = squashed(topic)
  return Object.hasOwn(topics, name) ? [...new Set(themesOf(topics[name] ?? ''))] : []
}

/** What portals call the EU data themes, beside the labels and codes of the authority; squashed. */
const synonyms = `
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
`
const bySynonym = new Map(
  synonyms
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [code = '', words = ''] = line.split(': ')
      return words.split(' ').map((word) => [word, code] as const)
    }),
)

/** The code of the EU data theme that a free text is another name of. */
export const synonymousTheme = (text: string): string | undefined => bySynonym.get(squashed(text))
