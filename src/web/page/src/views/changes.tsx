export function Changes() {
  return <h1>Changes</h1>;
}
