import { useState } from 'preact/hooks';
import { log_in, type Problem } from '../api';
import { Trouble } from '../ui';

export function LogIn() {
  const [password, set_password] = useState('');
  const [problem, set_problem] = useState<Problem | null>(null);
  const [busy, set_busy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    set_busy(true);
    try {
      await log_in(password);
    } catch (error) {
      set_problem(error as Problem);
      set_password('');
    }
    set_busy(false);
  };
  return (
    <main class="alone">
      <h1>Pollux</h1>
      <form class="panel stack" onSubmit={submit}>
        <label class="stacked">
          <span>Password</span>
          <input type="password" name="password" autocomplete="current-password" autofocus required value={password} onInput={(event) => set_password(event.currentTarget.value)} />
        </label>
        {problem && <Trouble problem={problem} />}
        <button type="submit" class="main" disabled={busy || password === ''}>
          Log in
        </button>
        <p class="faint small">
          It is in the file that <code>web.password_file</code> of the configuration names.
        </p>
      </form>
    </main>
  );
}
