/** Where scripts come from: files beside the pipe, and git repositories through the guard. */

import { symlink, writeFile, mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { scriptTransformer } from '../../../src/harvest/transform/script.ts'
import { folder, put } from '../../pipe/sources/sources-fixture.ts'
import { git, repository } from '../../pipe/sources/repository.ts'
import {
  end,
  jsonRecord,
  problemsOf,
  runTransformer,
  type TransformerRunOptions,
} from './run-transformer.ts'

const giving = (title: string) =>
  `const transforming = () => ({ '@id': 'https://a.example/', 'http://purl.org/dc/terms/title': '${title}' })`
const input = [jsonRecord(1, {}), end]

const local = (directory: string, path: string) =>
  problemsOf(scriptTransformer, { scriptType: 'localFile', path }, { place: { directory } })

describe('a script beside the pipe', () => {
  it.each(['clean.js', 'scripts/clean.js', 'city/clean.js'])(
    'is read from scripts/: %s',
    async (path) => {
      const directory = folder()
      await put(directory, join('scripts', path.replace('scripts/', '')), giving('Local'))
      const config = { scriptType: 'localFile', path }
      const { texts } = await runTransformer(scriptTransformer, config, {
        input,
        place: { directory },
      })
      expect(texts[0]).toContain('"Local"')
    },
  )

  it('[T6] is never read from anywhere else', async () => {
    const directory = folder()
    await put(directory, 'secret.js', giving('Secret'))
    await put(directory, 'scripts/inside.js', giving('Inside'))
    await put(directory, 'scripts-of-others/other.js', giving('Other'))
    await symlink(join(directory, 'secret.js'), join(directory, 'scripts', 'link.js'))
    await symlink(join(directory, 'scripts-of-others'), join(directory, 'scripts', 'folder'))
    await symlink(join(directory, 'scripts', 'inside.js'), join(directory, 'scripts', 'alias.js'))
    expect(local(directory, 'alias.js')).toEqual([])
    const outside = [
      '../secret.js',
      'x/../../secret.js',
      '/etc/passwd',
      '..%2fsecret.js',
      '..\\secret.js',
      '.git/config',
      'inside.js\0',
      '',
      'link.js',
      'folder/other.js',
      'folder',
      'absent.js',
    ]
    for (const path of outside) {
      expect([path, ...local(directory, path)]).toEqual([
        path,
        expect.stringMatching(/^path: (must be the name of a file|there is no readable file)/),
      ])
    }
  })

  it('may not be larger than a script may be', async () => {
    const directory = folder()
    await mkdir(join(directory, 'scripts'))
    await writeFile(join(directory, 'scripts', 'large.js'), ' '.repeat(2 ** 20 + 1))
    expect(local(directory, 'large.js')).toEqual([
      'path: scripts/large.js has more than 1048576 bytes',
    ])
  })
})

/** Repositories on the disk, which only tests may use. */
const onDisk = (): TransformerRunOptions => ({
  input,
  deps: { scratch: folder(), git: { transports: ['file'] } },
})

const fetched = (uri: string, more: object = {}, setting: TransformerRunOptions = onDisk()) =>
  runTransformer(
    scriptTransformer,
    { scriptType: 'repository', repository: { uri, script: 'harvest/clean.js', ...more } },
    setting,
  )

describe('a script in a git repository', () => {
  it('is that of main, and each run sees the newest one', async () => {
    const remote = await repository(folder())
    const setting = onDisk()
    await remote.commit({ 'harvest/clean.js': giving('First') })
    expect((await fetched(remote.uri, {}, setting)).texts[0]).toContain('"First"')
    await remote.commit({ 'harvest/clean.js': giving('Second') })
    expect((await fetched(remote.uri, {}, setting)).texts[0]).toContain('"Second"')
  })

  it('is that of master where there is no main, or of the branch that is named', async () => {
    const remote = await repository(folder())
    git(remote.work, 'checkout', '-q', '-b', 'master')
    await remote.commit({ 'harvest/clean.js': giving('Master') })
    git(remote.work, 'checkout', '-q', '-b', 'next')
    await remote.commit({ 'harvest/clean.js': giving('Next') })
    expect((await fetched(remote.uri)).texts[0]).toContain('"Master"')
    expect((await fetched(remote.uri, { branch: 'next' })).texts[0]).toContain('"Next"')
  })

  it('that is not there refuses the run before a record is asked for', async () => {
    const remote = await repository(folder())
    await remote.commit({ 'other.js': giving('Other') })
    const { failure, asked } = await fetched(remote.uri)
    expect([failure?.kind, asked]).toEqual(['source-not-found', 0])
    const absent = await fetched(join(folder(), 'absent.git'))
    expect([absent.failure?.kind, absent.asked]).toEqual(['source-not-found', 0])
  })

  it.each([
    ['file:///srv/scripts.git', 'repository.uri: must be an https or ssh address'],
    ['/srv/scripts.git', 'repository.uri: must be an https or ssh address'],
    ['http://city.example/scripts.git', 'repository.uri: must be an https or ssh address'],
    ['ext::sh -c id', /^repository\.uri: /],
    ['--upload-pack=id', /^repository\.uri: /],
    ['https://user:token@city.example/scripts.git', /^repository\.uri: /],
  ])('[T6] %s is refused when the pipe is read', (uri, problem) => {
    const config = { scriptType: 'repository', repository: { uri, script: 'a.js' } }
    const problems = problemsOf(scriptTransformer, config)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(problem)
  })

  it.each([
    [{ script: '../a.js' }, 'repository.script: must be the path of a file in the repository'],
    [{ script: '.git/hooks/x' }, 'repository.script: must be the path of a file in the repository'],
    [{ token: { secret: 'none' } }, 'repository.token: there is no secret called none'],
    [{ branch: '--x' }, 'repository.branch: must be the name of a branch'],
  ])('%j is refused with its key', (more, problem) => {
    const repository = { uri: 'https://city.example/x.git', script: 'a.js', ...more }
    expect(problemsOf(scriptTransformer, { scriptType: 'repository', repository })).toEqual([
      problem,
    ])
  })
})

/** Something that listens where nobody may come; counts who does. */
async function canary(): Promise<{ readonly port: number; readonly visits: () => number }> {
  let visits = 0
  const server = createServer((socket) => {
    visits += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { port, visits: () => visits }
}

describe('[T1] a repository of scripts', () => {
  const guarded = (address: string, allow: readonly string[] = []): TransformerRunOptions => ({
    input,
    deps: { scratch: folder(), allow, resolve: async () => [address] },
  })

  it.each([
    ['a literal address', 'https://127.0.0.1:{port}/x.git', '127.0.0.1'],
    ['a number', 'https://2130706433:{port}/x.git', '127.0.0.1'],
    ['a name that leads inside', 'https://scripts.example:{port}/x.git', '127.0.0.1'],
    ['a name of the metadata service', 'https://scripts.example/x.git', '169.254.169.254'],
    ['ssh', 'ssh://git@scripts.example:{port}/x.git', '127.0.0.1'],
    ['ssh in its short form', 'git@scripts.example:x.git', '10.0.0.7'],
  ])('is not asked behind %s', async (_, uri, address) => {
    const { port, visits } = await canary()
    const { failure, asked } = await fetched(uri.replace('{port}', `${port}`), {}, guarded(address))
    expect([failure?.kind, asked, visits()]).toEqual(['address-refused', 0, 0])
  })

  it('is dialled at the address that was judged, if the operator allows that', async () => {
    const { port, visits } = await canary()
    const uri = `https://scripts.example:${port}/x.git`
    const { failure } = await fetched(
      uri,
      { branch: 'main' },
      guarded('127.0.0.1', ['127.0.0.0/8']),
    )
    expect(failure?.kind).toMatch(/^source-/)
    expect(visits()).toBeGreaterThan(0)
  })
})
