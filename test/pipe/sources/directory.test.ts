/** Pipes from directories. */

import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { harvestOf } from '../pipes.ts'
import { folder, timeoutSignal, sourcesFixture, put } from './sources-fixture.ts'

const outside = 'is a link to nothing, or to a file outside its directory'

describe('a directory of pipes', () => {
  it('gives one pipe per JSON and YAML file, found by name and by an id that only one has', async () => {
    const root = folder()
    await put(root, 'pipes/a.json', harvestOf('city'))
    await put(root, 'pipes/b.yaml', JSON.stringify(harvestOf('land')))
    await put(root, 'pipes/c.yml', {
      ...harvestOf('river'),
      header: { ...harvestOf('land').header, name: 'river' },
    })
    await put(root, 'pipes/notes.txt', 'not a pipe')
    await put(root, 'pipes/.hidden.json', harvestOf('hidden'))
    await put(root, 'pipes/deeper/d.json', harvestOf('deeper'))
    const sources = await sourcesFixture(root)
    expect(sources.names()).toEqual(['city', 'land', 'river'])
    expect(sources.invalid()).toEqual([])
    expect(sources.find('city')).toEqual({
      pipe: harvestOf('city'),
      source: 'pipes',
      file: 'a.json',
      trust: 'trusted',
      directory: join(root, 'pipes'),
      problems: [],
    })
    expect(sources.find('id-city')?.file).toBe('a.json')
    expect(sources.find('id-land')).toBeUndefined()
    expect(sources.find('nothing')).toBeUndefined()
  })

  it('that is not there holds nothing, and is found when it appears', async () => {
    const root = folder()
    const sources = await sourcesFixture(root, {}, { pollMs: 20 })
    expect([sources.list(), sources.invalid()]).toEqual([[], []])
    await put(root, 'pipes/a.json', harvestOf('city'))
    await expect.poll(sources.names).toEqual(['city'])
  })

  it('is looked into by whoever cannot wait until a change is noticed', async () => {
    const root = folder()
    await mkdir(join(root, 'pipes'))
    const sources = await sourcesFixture(root)
    await put(root, 'pipes/a.json', harvestOf('city'))
    await sources.reloadDirectories(timeoutSignal())
    expect(sources.names()).toEqual(['city'])
    const reason = new Error('given up')
    await expect(sources.reloadDirectories(AbortSignal.abort(reason))).rejects.toBe(reason)
  })

  it('with more files than are read says how many are not, and names the first', async () => {
    const root = folder()
    await mkdir(join(root, 'pipes'))
    const names = Array.from({ length: 5007 }, (_, n) => `p${String(n).padStart(4, '0')}.json`)
    await Promise.all(names.map((name) => writeFile(join(root, 'pipes', name), '')))
    const sources = await sourcesFixture(root)
    const [about] = sources.invalid().filter(({ file }) => file === '')
    expect(about?.source).toBe('pipes')
    const [{ detail } = { detail: '' }] = about?.problems ?? []
    for (const part of ['5007', '7 are not', ...names.slice(5000, 5005)])
      expect(detail).toContain(part)
    expect(detail).not.toContain('p5005.json')
  })

  it('lists invalid files with their reasons, and the others are there', async () => {
    const root = folder()
    await put(root, 'pipes/bad.json', '{')
    await put(root, 'pipes/city.json', harvestOf('city'))
    await put(root, 'pipes/empty.yaml', '')
    await put(root, 'pipes/wrong.json', { ...harvestOf('wrong'), body: { segments: [] } })
    const sources = await sourcesFixture(root)
    expect(sources.names()).toEqual(['city'])
    expect(
      sources.invalid().map(({ source, file, problems }) => [source, file, problems[0]?.detail]),
    ).toEqual([
      ['pipes', 'bad.json', 'is not valid JSON'],
      ['pipes', 'empty.yaml', 'must be an object with header and body'],
      ['pipes', 'wrong.json', 'must hold at least one segment'],
    ])
    expect(sources.lines.filter((line) => line.includes('pipe.invalid'))).toHaveLength(3)
  })

  it('keeps a pipe whose config has problems, so that it can be seen and not launched', async () => {
    const root = folder()
    await put(root, 'pipes/city.json', harvestOf('city'))
    const problems = [{ pointer: '/body/segments/0', detail: 'must be better' }]
    const sources = await sourcesFixture(root, {}, { check: () => problems })
    expect(sources.find('city')?.problems).toEqual(problems)
    expect(sources.invalid()).toEqual([])
  })

  it('a check that breaks is a problem of its pipe and of no other', async () => {
    const root = folder()
    await put(root, 'pipes/a.json', harvestOf('a'))
    await put(root, 'pipes/b.json', harvestOf('b'))
    const sources = await sourcesFixture(
      root,
      {},
      {
        check: (pipe) => {
          if (pipe.header.name === 'a') throw new Error('broken')
          return []
        },
      },
    )
    expect(sources.list().map(({ problems }) => problems.length)).toEqual([1, 0])
  })

  it('is watched: files that come, change and go are noticed without polling, and told', async () => {
    const root = folder()
    await mkdir(join(root, 'pipes'))
    const sources = await sourcesFixture(root)
    let changes = 0
    const end = sources.onChange(() => changes++)
    await put(root, 'pipes/a.json', harvestOf('city'))
    await expect.poll(sources.names).toEqual(['city'])
    await put(root, 'pipes/a.json', harvestOf('town'))
    await expect.poll(sources.names).toEqual(['town'])
    await put(root, 'pipes/a.json', 'broken')
    await expect.poll(() => sources.invalid().length).toBe(1)
    expect(sources.names()).toEqual([])
    await rm(join(root, 'pipes/a.json'))
    await expect.poll(() => sources.invalid().length).toBe(0)
    expect(changes).toBe(4)
    end()
    await put(root, 'pipes/a.json', harvestOf('city'))
    await expect.poll(sources.names).toEqual(['city'])
    expect(changes).toBe(4)
  })

  it('reads everything again on demand', async () => {
    const root = folder()
    await put(root, 'pipes/a.json', harvestOf('city'))
    let problems = [{ detail: 'script is missing' }]
    const sources = await sourcesFixture(root, {}, { check: () => problems })
    expect(sources.find('city')?.problems).toHaveLength(1)
    problems = []
    await put(root, 'pipes/b.json', harvestOf('land'))
    await sources.reload(timeoutSignal())
    expect(sources.names()).toEqual(['city', 'land'])
    expect(sources.find('city')?.problems).toEqual([])
  })

  it('refuses a file that is too large or has too many segments', async () => {
    const root = folder()
    await put(root, 'pipes/a.json', harvestOf('city', { filler: 'x'.repeat(2000) }))
    await put(root, 'pipes/b.json', harvestOf('land'))
    const limits = { pipeBytes: 1000, segments: 1 }
    const sources = await sourcesFixture(root, {}, { limits })
    expect(sources.invalid().map(({ file, problems }) => [file, problems[0]?.detail])).toEqual([
      ['a.json', 'must be at most 1000 bytes (pipeBytes)'],
      ['b.json', 'must hold at most 1 segments'],
    ])
  })
})

describe('[T6] links', () => {
  it('that leave the directory or lead nowhere are refused, those inside it are followed', async () => {
    const root = folder()
    await put(root, 'secret/stolen.json', harvestOf('stolen'))
    await put(root, 'pipes/..data/real.json', harvestOf('mounted'))
    await symlink('..data/real.json', join(root, 'pipes/mounted.json'))
    await symlink('../secret/stolen.json', join(root, 'pipes/out.json'))
    await symlink(join(root, 'secret/stolen.json'), join(root, 'pipes/absolute.json'))
    await symlink('nowhere.json', join(root, 'pipes/lost.json'))
    await symlink('loop.json', join(root, 'pipes/loop.json'))
    // A neighbour whose path begins with that of the directory.
    await put(root, 'pipes-private/x.json', harvestOf('private'))
    await symlink('../pipes-private/x.json', join(root, 'pipes/next.json'))
    const sources = await sourcesFixture(root)
    expect(sources.names()).toEqual(['mounted'])
    expect(sources.invalid().map(({ file, problems }) => [file, problems[0]?.detail])).toEqual(
      ['absolute.json', 'loop.json', 'lost.json', 'next.json', 'out.json'].map((file) => [
        file,
        outside,
      ]),
    )
  })

  it('the directory itself may be one, and directories with the name of a pipe are none', async () => {
    const root = folder()
    await put(root, 'elsewhere/a.json', harvestOf('city'))
    await mkdir(join(root, 'elsewhere/folder.json'))
    await symlink('elsewhere', join(root, 'pipes'))
    const sources = await sourcesFixture(root)
    expect(sources.names()).toEqual(['city'])
    expect(sources.invalid()).toEqual([])
  })
})

describe('several directories', () => {
  it('the first pipe of a name stays: pipes before resources in their order; the others are told', async () => {
    const root = folder()
    const one = join(root, 'one')
    const two = join(root, 'two')
    await put(root, 'pipes/b.json', harvestOf('city'))
    await put(root, 'pipes/c.json', harvestOf('city'))
    await put(one, 'a.json', harvestOf('city'))
    await put(one, 'b.json', harvestOf('land'))
    await put(two, 'a.json', harvestOf('land'))
    const sources = await sourcesFixture(root, { resources: { paths: [one, two] } })
    expect(
      sources.list().map(({ pipe, source, file }) => [pipe.header.name, source, file]),
    ).toEqual([
      ['city', 'pipes', 'b.json'],
      ['land', `resources:${one}`, 'b.json'],
    ])
    expect(
      sources.invalid().map(({ source, file, problems }) => [source, file, problems[0]?.detail]),
    ).toEqual([
      ['pipes', 'c.json', 'city is already the name of b.json in pipes'],
      [`resources:${one}`, 'a.json', 'city is already the name of b.json in pipes'],
      [`resources:${two}`, 'a.json', `land is already the name of b.json in resources:${one}`],
    ])
    await rm(join(root, 'pipes/b.json'))
    await rename(join(root, 'pipes/c.json'), join(root, 'pipes/d.json'))
    await expect.poll(() => sources.find('city')?.file).toBe('d.json')
  })

  it('one that is named twice counts once', async () => {
    const root = folder()
    await put(root, 'pipes/a.json', harvestOf('city'))
    const paths = [join(root, 'pipes'), join(root, 'pipes/')]
    const sources = await sourcesFixture(root, { pipeRepositories: { resources: { paths } } })
    expect([sources.names(), sources.invalid()]).toEqual([['city'], []])
  })

  it('nothing is read after the stop', async () => {
    const root = folder()
    await put(root, 'pipes/a.json', harvestOf('city'))
    const sources = await sourcesFixture(root, {}, { pollMs: 5 })
    await sources.stop()
    await writeFile(join(root, 'pipes/b.json'), JSON.stringify(harvestOf('land')))
    await sources.reload(timeoutSignal())
    expect(sources.names()).toEqual(['city'])
  })
})
