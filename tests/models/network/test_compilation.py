import jax

from bayes_distnet.models.network.compilation import CACHE_VARIABLE, use_compilation_cache


def test_the_cache_can_be_moved_and_turned_off(monkeypatch, tmp_path):
    before = jax.config.jax_compilation_cache_dir
    try:
        jax.config.update("jax_compilation_cache_dir", None)
        monkeypatch.setenv(CACHE_VARIABLE, "")
        use_compilation_cache()
        assert jax.config.jax_compilation_cache_dir is None
        monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
        use_compilation_cache()
        assert jax.config.jax_compilation_cache_dir == str(tmp_path)
    finally:
        jax.config.update("jax_compilation_cache_dir", before)
