/** The CKAN importer: the packages of a portal by its search, page by page; one by one where the search gives up. */
import { Failure } from '../../../../errors.ts'
import type { Found } from '../../found.ts'
import type { ImportConfig } from '../../import-config.ts'
import type { ImportContext, ImporterKind } from '../../importer.ts'
import { shippedAuthorities } from '../../../../vocabularies/authorities.ts'
import { fieldsOf } from '../../../../vocabularies/loose-values.ts'
import type { Source } from '../../source.ts'
import { importDkan } from '../dkan/dkan.ts'
import { action, portalRoot } from './action-api.ts'
import { ckanConfig, type CkanConfig } from './config.ts'
import { licencesOf } from './licence-list.ts'
import { packages } from './packages.ts'
import type { Portal } from './package/portal.ts'
import { search, type Search } from './search.ts'
import { singly } from './singly.ts'

type Config = CkanConfig & ImportConfig

export const ckanImporter: ImporterKind<CkanConfig> = {
  names: ['importing-ckan', 'importing-ckansingle', 'importing-ckanprop'],
  version: 2,
  config: ckanConfig,
  import: importCkan,
}

async function* importCkan(
  config: Config,
  source: Source,
  context: ImportContext,
  signal: AbortSignal,
): AsyncGenerator<Found, void> {
  if (config.dialect === 'dkan') {
    yield* importDkan({ ...config, version: 'auto' }, { source, context }, signal)
    return
  }
  const root = portalRoot(config.address)
  const licences = licencesOf(source, root)
  const portal: Portal = {
    root,
    config,
    output: context.output,
    authorities: await shippedAuthorities(),
    licence: licences.find,
  }
  const names = new Set<string>()
  const wish: Search = { root, config, lastRun: context.lastRun }
  try {
    for await (const page of search(source, wish)) {
      signal.throwIfAborted()
      if (page.kind === 'end') {
        yield page
        return
      }
      yield { kind: 'total', total: page.count }
      await licences.learn(page.results)
      for (const one of page.results) {
        const { name } = fieldsOf(one)
        if (typeof name === 'string') names.add(name)
      }
      yield* packages(page.results, portal)
      yield { kind: 'page' }
    }
  } catch (error) {
    // Servers in front of the search refuse to go deep; what can be listed can be asked for by name.
    const list = names.size > 0 && isRefusal(error) ? await packageList(source, root) : undefined
    if (!list) throw error
    yield* singly(source, { list, isKnown: (name) => names.has(name), portal })
  }
}

const isRefusal = (error: unknown) =>
  error instanceof Failure &&
  (error.kind === 'source-error' || error.kind === 'source-error-envelope')

async function packageList(source: Source, root: string): Promise<readonly string[] | undefined> {
  try {
    const accepts = [400, 404, 405, 409]
    const answer = await action(source, { root, name: 'package_list' }, { accepts, paged: false })
    if (!answer.ok || !Array.isArray(answer.result)) return undefined
    return answer.result.filter((name) => typeof name === 'string')
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}
