import { countRows } from '../support/rows.js';
import { refusal, errorOf, propsOf } from '../support/answers.js';
import { describe, expect, it } from '@jest/globals';
import { PASSWORD } from '../support/fixture.js';
import { people, service, useKindsService } from '../support/kinds-service.js';

/* User names and e-mail addresses: which are the same name, and which are none. */

useKindsService();
const user = (username: string, email = 'c1@mail.test') => ({
  username,
  email,
  realName: 'x',
  password: PASSWORD,
});

describe('usernames and e-mail addresses', () => {
  it.each([
    'OWNER_U',
    'Owner_u',
    'owner_U',
    '\uff4f\uff37\uff2e\uff25\uff32_u', // full width
    '\u{1d428}wner_u', // mathematical bold
    'owner\uff3fu', // full-width low line
  ])('username %j is that of owner_u', async (username) => {
    for (const call of [people.admin.call, people.anon])
      expect(refusal(await call.post('/users', user(username)))).toEqual([409, 409, 'username']);
    expect(
      refusal(
        await people.other.call.put(`/users/${people.other.id}`, { username, currentPassword: PASSWORD }),
      ),
    ).toEqual([409, 409, 'username']);
    expect(await countRows(service, 'users')).toBe(3);
  });

  it.each([
    ['\u00c4rger', '\u00e4rger'],
    ['\u00c4rger', 'A\u0308RGER'],
    ['stra\u00dfe', 'STRASSE'],
    ['\u03c3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2', '\u03a3\u038a\u03a3\u03a5\u03a6\u039f\u03a3'], // final sigma
    ['\ufb01nn', 'FINN'], // ligature
    ['stra\u00dfe', 'STRA\u1e9eE'],
    ['k', '\u212a'], // Kelvin sign
  ])('%j and %j are one username', async (first, second) => {
    expect((await people.admin.call.post('/users', user(first))).status).toBeLessThan(300);
    expect(refusal(await people.admin.call.post('/users', user(second, 'c2@mail.test')))).toEqual([
      409,
      409,
      'username',
    ]);
    expect(await countRows(service, 'users')).toBe(4);
  });

  it('a name from before it was refused stays, and logs in', async () => {
    await service.sql(
      `UPDATE users SET username = 'whoami', "usernameFolded" = 'whoami' WHERE username = 'owner_u'`,
    );
    const path = `/users/${people.owner.id}`;
    const { props } = (await people.owner.call.get(path)).body;
    const same = await people.owner.call.put(path, { ...(props as object), realName: 'Who' });
    expect(same).toMatchObject({ status: 200, body: { props: { username: 'whoami', realName: 'Who' } } });
    expect((await people.anon.post('/sessions', { login: 'whoami', password: PASSWORD })).status).toBe(201);
    const other = { username: 'Whoami', currentPassword: PASSWORD };
    expect(refusal(await people.owner.call.put(path, other))).toEqual([422, 442, 'username']);
  });

  it('a name is stored as it was given', async () => {
    const made = await people.admin.call.post('/users', user('\u00c4rger', 'Jane.Doe@Mail.test'));
    expect(propsOf(made)).toMatchObject({ username: '\u00c4rger', email: 'Jane.Doe@Mail.test' });
  });

  it('a name may be written in another case by its own user', async () => {
    const renamed = await people.owner.call.put(`/users/${people.owner.id}`, {
      username: 'Owner_U',
      currentPassword: PASSWORD,
    });
    expect(renamed).toMatchObject({
      status: 200,
      body: { props: { username: 'Owner_U' } },
    });
    expect(
      (await people.anon.post('/sessions', { login: 'owner_u', password: PASSWORD })).status,
    ).toBeLessThan(300);
  });

  it.each([
    ['a Cyrillic letter among Latin ones', '\u0430dmin'],
    ['a Greek letter among Latin ones', 'adm\u03b9n'],
    ['zero width space', 'owner_u\u200b'],
    ['zero width joiner', 'own\u200der_u'],
    ['soft hyphen', 'own\u00ader_u'],
    ['byte order mark', '\ufeffowner_u'],
    ['outer blanks', ' owner_u '],
    ['inner blank', 'owner u'],
    ['no-break space', 'owner_u\u00a0'],
    ['ideographic space', '\u3000owner_u'],
    ['right-to-left override', '\u202eu_renwo'],
    ['left-to-right isolate', '\u2066owner_u\u2069'],
    ['tag character', 'owner_u\u{e0061}'],
    ['private use', 'owner_u\ue000'],
    ['line feed', 'owner_u\n'],
    ['an e-mail address', 'owner.secret@mail.test'],
    ['a full-width commercial at', 'owner\uff20mail.test'],
    ['a slash', '../admin'],
    ['a dot', '.'],
    ['two dots', '..'],
    ['nothing but punctuation', '._-'],
    ['a word for nothing', 'null'],
    ['the same in capitals', 'NULL'],
    ['the same in full width', '\uff4e\uff55\uff4c\uff4c'],
    ['another word for nothing', 'undefined'],
    ['a path', 'whoami'],
    ['another path', 'Options'],
    ['a third path', 'import-avatar'],
    ['a mark before everything', '\u0301owner'],
    ['a mark on punctuation', 'owner.\u0301x'],
    ['one mark twice', 'owne\u0301\u0301r'],
    ['five marks in a row', 'owne\u0300\u0301\u0302\u0303\u0304r'],
    ['nothing but marks', '\u0300\u0301'],
  ])('%s in a username is refused', async (_name, username) => {
    expect(refusal(await people.admin.call.post('/users', user(username)))).toEqual([422, 442, 'username']);
    expect(
      refusal(
        await people.other.call.put(`/users/${people.other.id}`, { username, currentPassword: PASSWORD }),
      ),
    ).toEqual([422, 442, 'username']);
    expect(await countRows(service, 'users')).toBe(3);
  });

  // Invisible as well, though Unicode calls them marks or letters (Default_Ignorable_Code_Point).
  it.each([
    ['variation selector 16', 'owner_u\ufe0f'],
    ['variation selector 1', 'owner_u\ufe00'],
    ['variation selector 17', 'owner_u\u{e0100}'],
    ['combining grapheme joiner', 'own\u034fer_u'],
    ['Hangul filler', 'owner_u\u3164'],
    ['half-width Hangul filler', 'owner_u\uffa0'],
    ['Hangul choseong filler', 'owner_u\u115f'],
    ['Khmer inherent vowel', 'owner_u\u17b4'],
    ['Mongolian variation selector', 'owner_u\u180b'],
  ])('%s makes no second account that looks the same', async (_name, username) => {
    const answer = await people.admin.call.post('/users', user(username));
    expect([409, 422]).toContain(answer.status);
    expect(await countRows(service, 'users')).toBe(3);
  });

  it.each([
    ['Cyrillic and mathematical Latin', '\u0430\u{1d41d}\u{1d426}\u{1d422}\u{1d427}'],
    ['Cyrillic and full-width Latin', '\u0430\uff44\uff4d\uff49\uff4e'],
    ['Cherokee and Latin', '\u13aadmin'],
    ['Lisu and Latin', '\ua4eedmin'],
    ['Coptic and Latin', '\u2c9fwner_u'],
  ])('a username with letters of two alphabets is refused (%s)', async (_name, username) => {
    expect(refusal(await people.admin.call.post('/users', user(username)))).toEqual([422, 442, 'username']);
    expect(await countRows(service, 'users')).toBe(3);
  });

  it.each([
    '\u043e\u043b\u044c\u0433\u0430',
    '\u4e0a\u7530',
    '\u05e9\u05dc\u05d5\u05dd',
    '\u0645\u062d\u0645\u062f',
    'jos\u00e9-m.2',
    'nullus',
    'options2',
    '7',
    '-x-',
    'Nguy\u1ec5n',
    '\u0e19\u0e49\u0e33', // Thai, with marks
  ])('%j is a username', async (username) => {
    const made = await people.anon.post('/users', user(username));
    expect(made.status).toBeLessThan(300);
    const login = await people.anon.post('/sessions', { login: username, password: PASSWORD });
    expect(propsOf(login).userId).toBe(propsOf(made).id);
  });

  it('an e-mail address has one canonical form, at sign-up, update and login', async () => {
    const taken = ['OWNER.Secret@MAIL.test', 'owner.secret@mail.TEST', '\uff4fwner.secret@mail.test'];
    const misshapen = [
      ' owner.secret@mail.test',
      'owner.secret@mail.test ',
      'owner.secret@mail.test.',
      'owner.secret@mail.test\u200b',
      'owner.secret\u00ad@mail.test',
      'Owner <owner.secret@mail.test>',
      'owner.secret@mail.test,x@mail.test',
      'owner.secret',
    ];
    for (const [emails, status] of [
      [taken, 409],
      [misshapen, 422],
    ] as const) {
      for (const email of emails) {
        const made = await people.anon.post('/users', user('fresh', email));
        const changed = await people.other.call.put(`/users/${people.other.id}`, {
          email,
          currentPassword: PASSWORD,
        });
        expect([email, made.status, changed.status]).toEqual([email, status, status]);
        expect([errorOf(made).data, errorOf(changed).data]).toEqual(['email', 'email']);
      }
    }
    expect(propsOf(await people.other.call.get('/users/whoami')).email).toBe('other.secret@mail.test');
    expect(await countRows(service, 'users')).toBe(3);
    expect(
      (await people.anon.post('/sessions', { login: 'OWNER.secret@mail.test', password: PASSWORD })).status,
    ).toBeLessThan(300);
  });

  it.each(['owner.secret\ufe0f@mail.test', 'owner.secret\u034f@mail.test', 'owner.secret\u3164@mail.test'])(
    'an invisible character makes no second e-mail address (%j)',
    async (email) => {
      const answer = await people.anon.post('/users', user('fresh', email));
      expect([409, 422]).toContain(answer.status);
      expect(await countRows(service, 'users')).toBe(3);
    },
  );

  it('a conflict tells no more than the prop', async () => {
    const byEmail = await people.anon.post('/users', user('new77', 'owner.secret@mail.test'));
    const byName = await people.anon.post('/users', user('owner_u', 'new77@mail.test'));
    expect([refusal(byEmail), refusal(byName)]).toEqual([
      [409, 409, 'email'],
      [409, 409, 'username'],
    ]);
    for (const { text } of [byEmail, byName]) {
      expect(text).not.toContain(people.owner.id);
      expect(text).not.toMatch(/owner|Olive|secret|20\d\d-/);
    }
    // Both at once: one of them, and nothing about the other.
    const both = await people.anon.post('/users', user('owner_u', 'owner.secret@mail.test'));
    expect(both.status).toBe(409);
    expect(both.body).not.toHaveProperty('warnings');
  });

  it('limits are counted in characters, also where folding makes a name longer', async () => {
    const long = '\ufdfa'.repeat(60); // one character that is 18 in NFKC
    const answer = await people.admin.call.post('/users', user(long));
    expect(refusal(answer)).toEqual([422, 442, 'username']);
    expect((await people.admin.call.post('/users', user('\ud840\udc00'.repeat(60)))).status).toBeLessThan(
      300,
    );
    expect(refusal(await people.admin.call.post('/users', user('a'.repeat(61), 'c2@mail.test')))).toEqual([
      422,
      442,
      'username',
    ]);
  });
});
